// The partitions of one consumer between two rebalances, and where it stands in each. What arrives is admitted only if it
// is what was asked for: kafkajs also hands over batches that were fetched before a seek or from another broker, and after
// an offset that the log does not hold it goes on elsewhere by itself (attack H17).
import { CodedError, invariant } from '@compasso/kernel';
import type { PartitionOffsets, Position, ReceivedRecord } from '../ports/transport.ts';
import { confirmSeat, type Seat, takeSeat } from './seat.ts';

/** `again`: ask for the same offset once more. `strayed`: this is not the place where we read. */
export type Arrival = 'expected' | 'gap' | 'again' | 'strayed';

interface Place {
  readonly seat: Seat;
  confirmed: boolean;
  /** The offset that the next fetch asks for. */
  expected: bigint;
  /** Where a batch began later than expected, once: a second time the broker means it. */
  doubted: bigint | undefined;
  /** Where the log ends, as last seen from anywhere, and as last told by a batch or before the first one. */
  logNext: bigint;
  highWatermark: bigint;
  movedAt: number;
}

export class Assignment {
  readonly topic: string;
  readonly partitions: readonly number[];
  readonly seated: Promise<void>;
  /** Another one has begun, or the generation is over: nothing more is handled or resolved for this one. */
  over = false;
  isSeated = false;
  private readonly places = new Map<number, Place>();
  private resolveSeated: () => void = () => undefined;

  constructor(topic: string, partitions: readonly number[]) {
    this.topic = topic;
    this.partitions = partitions;
    this.seated = new Promise((resolve) => (this.resolveSeated = resolve));
  }

  /** @throws CodedError `log_data_lost` */
  takeSeats(found: readonly PartitionOffsets[], positions: readonly (Position | undefined)[]): void {
    for (const [at, partition] of this.partitions.entries()) {
      const offsets = found.find((one) => one.partition === partition);
      invariant(offsets !== undefined, 'an assigned partition exists', { topic: this.topic, partition });
      const seat = takeSeat(this.topic, offsets, positions[at]);
      this.places.set(partition, {
        seat,
        confirmed: false,
        expected: seat.seekTo,
        doubted: undefined,
        logNext: offsets.next,
        highWatermark: offsets.next,
        movedAt: performance.now(),
      });
    }
    this.isSeated = true;
    this.resolveSeated();
  }

  seekTo(partition: number): bigint {
    return this.placeOf(partition).expected;
  }

  /** A log only grows; one that ends earlier than before was cut, or is another log. */
  hasShrunk(partition: number, highWatermark: bigint): boolean {
    return highWatermark < this.placeOf(partition).highWatermark;
  }

  arrival(partition: number, first: ReceivedRecord): Arrival {
    const place = this.placeOf(partition);
    if (first.offset < place.expected) return 'strayed';
    if (first.offset === place.expected) return 'expected';
    if (place.doubted === place.expected) return 'gap';
    place.doubted = place.expected;
    return 'again';
  }

  /** @throws CodedError `log_data_lost` when another record stands where the last one was read */
  confirm(partition: number, first: ReceivedRecord): void {
    const place = this.placeOf(partition);
    if (place.confirmed) return;
    confirmSeat(this.topic, partition, place.seat, first);
    place.confirmed = true;
  }

  /**
   * The broker holds nothing between what was expected and this: retention, compaction or the markers of somebody's
   * transactions. @throws CodedError `log_data_lost` when the log now begins after it
   */
  refuseLoss(partition: number, found: readonly PartitionOffsets[]): void {
    const { seat, confirmed, expected } = this.placeOf(partition);
    const first = found.find((one) => one.partition === partition)?.first ?? 0n;
    // Before the first batch the record before our position is asked for as well, and may go.
    const wanted = confirmed ? expected : seat.nextOffset;
    if (first <= wanted) return;
    throw new CodedError('log_data_lost', 'The topic no longer holds what comes next here: the log begins after it.', {
      topic: this.topic,
      partition,
      nextOffset: String(wanted),
      logFirst: String(first),
    });
  }

  advance(partition: number, expected: bigint, highWatermark: bigint): void {
    const place = this.placeOf(partition);
    place.expected = expected;
    place.highWatermark = highWatermark;
    place.logNext = highWatermark > place.logNext ? highWatermark : place.logNext;
    place.movedAt = performance.now();
  }

  /** What a look at the logs from outside says; the batches themselves only speak when they come. */
  see(found: readonly PartitionOffsets[]): void {
    for (const { partition, next } of found) {
      const place = this.places.get(partition);
      if (place === undefined) continue;
      if (lagOf(place) === 0n) place.movedAt = performance.now();
      place.logNext = next;
    }
  }

  /** For how long the slowest partition has had something to read and has not been read. */
  stalledMs(): number {
    const waiting = [...this.places.values()].filter((place) => lagOf(place) > 0n);
    return waiting.length === 0 ? 0 : performance.now() - Math.min(...waiting.map(({ movedAt }) => movedAt));
  }

  lag(): bigint {
    return [...this.places.values()].reduce((sum, place) => sum + lagOf(place), 0n);
  }

  private placeOf(partition: number): Place {
    const place = this.places.get(partition);
    invariant(place !== undefined, 'a batch is of an assigned partition', { topic: this.topic, partition });
    return place;
  }
}

/** The record before the position is fetched only to be recognised. */
function lagOf({ seat, expected, logNext }: Place): bigint {
  const from = expected > seat.nextOffset ? expected : seat.nextOffset;
  return logNext > from ? logNext - from : 0n;
}
