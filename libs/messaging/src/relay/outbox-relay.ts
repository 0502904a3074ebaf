// Publishes committed events in the order in which their rows were taken, and forgets the outbox row only after the broker's
// acknowledgement. It reads the table, oldest first, passing over nothing; so a second relay, or a crash between the two
// steps, can repeat an event but never reorder or lose one (attack H24).
import type { Instant } from '@compasso/kernel';
import { type Key, keyOf, keyText, type RowOf } from '../ports/table.ts';
import type { Leadership } from '../ports/leadership.ts';
import type { OutgoingRecord, Transport } from '../ports/transport.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { recordOf } from '../shell/stage.ts';
import { type EventLogRow, eventLogTable, outboxTable } from '../shell/tables.ts';
import { HeldBack } from './held-back.ts';

export const relayLimits = {
  rowsMax: 500,
  /** Below the broker's limit for one partition's part of a request. */
  bytesMax: 524_288,
  pollMs: 25,
  /** After so many failed sends in a row the broker is away, rather than one event bad. */
  singleFailuresMax: 3,
} as const;

export interface RelayParts {
  readonly unitOfWork: UnitOfWork;
  readonly transport: Pick<Transport, 'publish'>;
  readonly leadership: Leadership;
  readonly partitionOf: (key: string) => number;
  readonly observe: (observation: RelayObservation) => void;
}

export type RelayObservation =
  | { readonly kind: 'published'; readonly records: readonly OutgoingRecord[]; readonly seconds: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly records: number }
  | { readonly kind: 'backlog'; readonly rows: number; readonly oldest: Instant | undefined };

interface Waiting {
  readonly pointer: RowOf<typeof outboxTable>;
  readonly event: EventLogRow;
  readonly record: OutgoingRecord;
}

/** What one round came to; the caller decides when the next one begins. */
export interface RelayRound {
  readonly published: number;
  /** More rows wait than one round takes. */
  readonly more: boolean;
  readonly failed: boolean;
}

const idle: RelayRound = { published: 0, more: false, failed: false };

export class OutboxRelay {
  private readonly parts: RelayParts;
  private readonly heldBack = new HeldBack();
  private suspicious = false;

  constructor(parts: RelayParts) {
    this.parts = parts;
  }

  async round(): Promise<RelayRound> {
    if (!this.parts.leadership.isLeader()) return idle;
    const waiting = await this.read();
    this.parts.observe({ kind: 'backlog', rows: waiting.length, oldest: waiting[0]?.event.occurredAt });
    if (waiting.length === 0) return idle;
    const round = this.suspicious ? await this.oneByOne(waiting) : await this.together(waiting);
    this.suspicious = round.failed;
    return { ...round, more: waiting.length >= relayLimits.rowsMax };
  }

  private async read(): Promise<readonly Waiting[]> {
    return this.parts.unitOfWork.run(async (transaction) => {
      const pointers = await transaction.oldest(outboxTable, { column: 'position', limit: relayLimits.rowsMax });
      const events = await transaction.read(
        eventLogTable,
        pointers.map(({ recordedOn, eventId }) => [recordedOn, eventId]),
      );
      const byKey = new Map(events.map((event) => [keyText(keyOf(eventLogTable, event)), event]));
      return pointers.flatMap((pointer) => {
        const event = byKey.get(keyText([pointer.recordedOn, pointer.eventId]));
        return event === undefined ? [] : [{ pointer, event, record: recordOf(event, this.parts.partitionOf) }];
      });
    });
  }

  private async together(waiting: readonly Waiting[]): Promise<Omit<RelayRound, 'more'>> {
    let published = 0;
    for (const part of bySize(waiting)) {
      if (!(await this.publish(part))) return { published, failed: true };
      await this.forget(part);
      published += part.length;
    }
    return { published, failed: false };
  }

  /** After a failure: an event that cannot leave holds back its own transfer and nobody else (field failure C-03). */
  private async oneByOne(waiting: readonly Waiting[]): Promise<Omit<RelayRound, 'more'>> {
    let published = 0;
    let failures = 0;
    for (const one of waiting) {
      if (this.heldBack.has(one.event.subject)) continue;
      if (await this.publish([one])) {
        await this.forget([one]);
        published += 1;
        failures = 0;
        continue;
      }
      this.heldBack.add(one.event.subject);
      failures += 1;
      if (failures >= relayLimits.singleFailuresMax) break;
    }
    const failed = this.heldBack.size > 0;
    this.heldBack.nextRound();
    return { published, failed };
  }

  private async publish(part: readonly Waiting[]): Promise<boolean> {
    const started = performance.now();
    const records = part.map(({ record }) => record);
    try {
      await this.parts.transport.publish(records);
      this.parts.observe({ kind: 'published', records, seconds: (performance.now() - started) / 1000 });
      return true;
    } catch (error) {
      this.parts.observe({ kind: 'failed', error, records: records.length });
      return false;
    }
  }

  private async forget(part: readonly Waiting[]): Promise<void> {
    const keys: Key[] = part.map(({ pointer }) => [pointer.position]);
    await this.parts.unitOfWork.run((transaction) => transaction.remove(outboxTable, keys));
  }
}

function bySize(waiting: readonly Waiting[]): readonly Waiting[][] {
  const parts: Waiting[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of waiting) {
    const size = one.record.value.length + 512;
    if (bytes + size > relayLimits.bytesMax) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(one);
    bytes += size;
  }
  return parts;
}
