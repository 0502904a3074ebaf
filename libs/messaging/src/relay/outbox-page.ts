// The rows of the outbox that may leave now, oldest first. Those that must wait are read past, page by page, and so is
// everything behind them: however many there are, they never hide the rest (field failure C-06).
import type { Instant } from '@compasso/kernel';
import { keyOf, keyText, type RowOf } from '../ports/table.ts';
import type { OutgoingRecord } from '../ports/transport.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import { recordOf } from '../shell/stage.ts';
import { type EventLogRow, eventLogTable, outboxTable } from '../shell/tables.ts';
import type { Sendable } from './held-back.ts';

type Pointer = RowOf<typeof outboxTable>;

export interface Waiting extends Sendable {
  readonly pointer: Pointer;
  readonly record: OutgoingRecord;
  readonly bytes: number;
}

export interface OutboxPage {
  readonly sendable: readonly Waiting[];
  /** Rows that were looked at, those that must wait included. */
  readonly rows: number;
  readonly oldest: Instant | undefined;
  /** Rows whose event is not in the log: something that cannot be, and that nobody can publish. */
  readonly orphans: readonly Pointer[];
  /** More rows wait than were looked at. */
  readonly more: boolean;
}

export interface PageOptions {
  readonly rowsMax: number;
  readonly pagesMax: number;
  readonly mustWait: (one: Sendable) => boolean;
  /** Rows that are read on for: a page of others is not enough. */
  readonly isFresh: (one: Sendable) => boolean;
  readonly partitionOf: (key: string) => number;
}

/** Kafka's own share of a record: lengths, headers, the batch around it. */
const overheadBytes = 512;

export async function readOutbox(transaction: Transaction, options: PageOptions): Promise<OutboxPage> {
  const { rowsMax, pagesMax, mustWait, isFresh, partitionOf } = options;
  const sendable: Waiting[] = [];
  const orphans: Pointer[] = [];
  const heldSubjects = new Set<string>();
  let rows = 0;
  let oldest: Instant | undefined;
  let last: bigint | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const pointers = await pointersAfter(transaction, last, rowsMax);
    const events = await eventsOf(transaction, pointers);
    for (const pointer of pointers) {
      const event = events.get(keyText([pointer.recordedOn, pointer.eventId]));
      if (event === undefined) {
        orphans.push(pointer);
        continue;
      }
      oldest ??= event.occurredAt;
      const { subject, topic } = event;
      if (heldSubjects.has(subject) || mustWait({ subject, topic })) heldSubjects.add(subject);
      else sendable.push(toWaiting(pointer, event, partitionOf));
    }
    rows += pointers.length;
    if (pointers.length < rowsMax) return { sendable, rows, oldest, orphans, more: false };
    if (sendable.some(isFresh)) break;
    last = pointers.at(-1)!.position;
  }
  return { sendable, rows, oldest, orphans, more: true };
}

const pointersAfter = (transaction: Transaction, last: bigint | undefined, limit: number): Promise<readonly Pointer[]> =>
  transaction.oldest(outboxTable, { column: 'position', limit, ...(last === undefined ? {} : { after: last }) });

async function eventsOf(
  transaction: Transaction,
  pointers: readonly Pointer[],
): Promise<ReadonlyMap<string, EventLogRow>> {
  const keys = pointers.map(({ recordedOn, eventId }) => [recordedOn, eventId]);
  const events = await transaction.read(eventLogTable, keys);
  return new Map(events.map((event) => [keyText(keyOf(eventLogTable, event)), event]));
}

function toWaiting(pointer: Pointer, event: EventLogRow, partitionOf: (key: string) => number): Waiting {
  const record = recordOf(event, partitionOf);
  const bytes = Buffer.byteLength(record.value) + overheadBytes;
  return { pointer, record, bytes, subject: event.subject, topic: event.topic };
}
