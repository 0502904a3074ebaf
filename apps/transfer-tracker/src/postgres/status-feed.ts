// The public feed: one event per transfer and transaction, whatever the number of facts in it, with the state at its end.
// Consumers keep the highest (projection, version), so what lies between was never theirs to see. A state that does not
// last is not told either, if what follows it is already waiting (docs/decisions/0033-what-the-feed-leaves-out.md).
import { type DataOf, transferStatusChangedV1 } from '@compasso/contracts';
import { centsToWire, type Instant, instantToWire } from '@compasso/kernel';
import { type Emission, emission, type WorkingSet } from '@compasso/messaging';
import { counter, histogram } from '@compasso/observability';
import type { Saga } from '../domain/saga.ts';
import type { Fact } from '../kafka/fact.ts';
import type { Waiting } from '../kafka/turns.ts';
import type { TransferViewRow } from './tables.ts';

// Counted when decided: a transaction that has to be run again counts twice.
const published = counter('compasso_status_changes_published_total');
const duration = histogram('compasso_saga_duration_seconds');

export interface Change {
  readonly before: TransferViewRow | undefined;
  readonly after: TransferViewRow;
  /** Of `after`. */
  readonly trail: Saga['trail'];
  readonly cause: Cause;
}

export type Cause = Pick<Fact, 'id' | 'traceparent' | 'brokerAt'>;

export class StatusFeed {
  private readonly set: WorkingSet;
  private readonly waiting: Waiting;

  constructor(set: WorkingSet, waiting: Waiting) {
    this.set = set;
    this.waiting = waiting;
  }

  /** Returns the row as it must be written, with the sequence of what was published. */
  publishChange({ before, after, trail, cause }: Change): TransferViewRow {
    if (after.accountId === null) return after;
    if (!after.untold && !isNews(before, after)) return after;
    if (willPass(after) && this.isFollowed(after.transferId, trail)) return { ...after, untold: true };
    return this.publish(before, after, cause);
  }

  /** An event that is in the trail is folded; any other one is folded after this transaction, because it holds the row. */
  private isFollowed(transferId: string, trail: Saga['trail']): boolean {
    for (const eventId of this.waiting.eventsOf(transferId)) {
      if (trail.every(({ id }) => id !== eventId)) return true;
    }
    return false;
  }

  private publish(
    before: TransferViewRow | undefined,
    after: TransferViewRow,
    cause: Cause,
  ): TransferViewRow {
    const row = withNextSequence(after);
    const { id: causationId, traceparent } = cause;
    const origin = { causationId, traceparent: traceparent ?? undefined };
    this.set.emit(statusEvent(row, later(row.judgedAsOf, cause.brokerAt), origin));
    observe(before, row);
    return row;
  }
}

/**
 * Ends, and whatever needs a person, are told at once. Anything else is looked at again when its deadline has passed, and
 * then told at the latest: even if what waited was never folded.
 */
const willPass = ({ endedAt, attention, lookAt }: TransferViewRow): boolean =>
  endedAt === null && attention === 'none' && lookAt !== null;

export const withNextSequence = (row: TransferViewRow): TransferViewRow => ({
  ...row,
  statusSequence: row.statusSequence + 1,
  untold: false,
});

/** What the feed shows of a transfer; a new account means that it is shown for the first time, or to somebody else. */
const publicWords = [
  'state',
  'money',
  'certainty',
  'attention',
  'reason',
  'accountId',
] as const satisfies readonly (keyof TransferViewRow)[];

export const isNews = (before: TransferViewRow | undefined, after: TransferViewRow): boolean =>
  before === undefined || publicWords.some((word) => before[word] !== after[word]);

export function statusEvent(
  row: TransferViewRow,
  asOf: Instant,
  origin: Pick<Emission, 'causationId' | 'traceparent'>,
): Emission {
  const words = row as unknown as DataOf<typeof transferStatusChangedV1>;
  const { state, money, certainty, attention } = words;
  return emission(transferStatusChangedV1, {
    subject: row.transferId,
    key: row.transferId,
    sequence: row.statusSequence,
    ...origin,
    data: {
      accountId: row.accountId!,
      ...(row.amountCents === null ? {} : { amountCents: centsToWire(row.amountCents) }),
      ...(row.clientReference === null ? {} : { clientReference: row.clientReference }),
      state,
      money,
      certainty,
      attention,
      ...(row.reason === null ? {} : { reason: row.reason }),
      projection: row.projection,
      version: row.version,
      asOf: instantToWire(asOf),
      ...(row.metadata === null
        ? {}
        : { metadata: JSON.parse(row.metadata) as Record<string, string> }),
    },
  });
}

function observe(before: TransferViewRow | undefined, { state, startedAt, endedAt }: TransferViewRow) {
  published.add(1, { state });
  if (endedAt === null || (before?.endedAt ?? null) !== null) return;
  duration.record(Math.max(0, endedAt - startedAt) / 1000, { state });
}

const later = (left: Instant | null, right: Instant): Instant =>
  left === null || left < right ? right : left;
