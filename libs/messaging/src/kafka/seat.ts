// Where a consumer of one partition stands within its generation. The database's position decides where to read on, and
// the record before it must still be the one that was read last: otherwise the log lost data or is another log (H17, W3).
import { CodedError } from '@compasso/kernel';
import { recordMark } from '../ports/record-mark.ts';
import type { PartitionOffsets, Position, ReceivedRecord } from '../ports/transport.ts';

export interface Seat {
  /** First record to fetch: one before the position while the log still has it, so that it can be recognised. */
  readonly seekTo: bigint;
  readonly nextOffset: bigint;
  readonly lastId: string | null;
}

const lost = (topic: string, found: PartitionOffsets, position: Position, what: string): CodedError =>
  new CodedError('log_data_lost', `The topic no longer holds what comes next here: ${what}.`, {
    topic,
    partition: found.partition,
    nextOffset: String(position.nextOffset),
    logFirst: String(found.first),
    logNext: String(found.next),
  });

/** @throws CodedError `log_data_lost` when the log begins after the position or ends before it. */
export function takeSeat(topic: string, found: PartitionOffsets, position: Position | undefined): Seat {
  if (position === undefined) return { seekTo: found.first, nextOffset: found.first, lastId: null };
  const { nextOffset, lastId } = position;
  if (nextOffset < found.first) throw lost(topic, found, position, 'the log begins after it');
  if (nextOffset > found.next) throw lost(topic, found, position, 'the log ends before it');
  const canCompare = lastId !== null && nextOffset - 1n >= found.first;
  return { seekTo: canCompare ? nextOffset - 1n : nextOffset, nextOffset, lastId };
}

/** @throws CodedError `log_data_lost` when another record stands where the last one was read. */
export function confirmSeat(topic: string, partition: number, seat: Seat, first: ReceivedRecord): void {
  if (seat.lastId === null || first.offset !== seat.nextOffset - 1n) return;
  if (recordMark(first) === seat.lastId) return;
  throw new CodedError('log_data_lost', 'The topic was re-created: another record stands where we read last.', {
    topic,
    partition,
    offset: String(first.offset),
  });
}
