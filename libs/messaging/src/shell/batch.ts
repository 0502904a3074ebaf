// What was polled, of all partitions of one topic or of several, in one transaction: positions, blocked subjects, inbox, rows, pure
// decisions, events, commit.
// The order of the steps is the order of the locks, the same in every service (attack H31).
import { serviceNames, sourceOfService, type TopicDefinition } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import { recordMark } from '../ports/record-mark.ts';
import type { RecordBatch } from '../ports/transport.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import { type DeadLetters, openDeadLetters } from './dead-letters.ts';
import { handleMessage } from './handle-message.ts';
import { claimInbox, type InboxClaims, recordVerdicts } from './inbox.ts';
import { type DecodedRecord, decodeBatch, deskReferenceOf } from './incoming.ts';
import { advancePositions, lockPositions, type PositionRow, type Reading } from './position.ts';
import type { ProcessSpans } from './process-spans.ts';
import type { ServiceDefinition, SubscriptionDefinition } from './reaction.ts';
import { type Staging, stageEmissions } from './stage.ts';
import type { Verdict } from './tables.ts';
import { together } from './together.ts';
import { WorkingSet } from './working-set.ts';

export interface BatchContext<Desk> {
  readonly service: ServiceDefinition<Desk>;
  readonly subscription: SubscriptionDefinition<Desk>;
  readonly group: string;
  readonly staging: Staging;
  /** Whether this consumer knows that the partition has a position in the database. */
  readonly hasPosition: (partition: number) => boolean;
}

/** What one poll gave, at most one batch per partition. */
export interface Poll<Desk> {
  readonly context: BatchContext<Desk>;
  readonly batches: readonly RecordBatch[];
}

export interface TracedPoll<Desk> extends Poll<Desk> {
  readonly spans: ProcessSpans;
}

export const readingOf = (
  { partition, records }: Pick<RecordBatch, 'partition' | 'records'>,
  { group, subscription, hasPosition }: Pick<BatchContext<unknown>, 'group' | 'hasPosition'> & {
    readonly subscription: { readonly topic: TopicDefinition };
  },
): Reading => ({
  group,
  topic: subscription.topic.name,
  partition,
  firstOffset: records[0]?.offset ?? 0n,
  hasPosition: hasPosition(partition),
});

/** What a poll came to, for metrics: how many messages ended with which verdict. */
export interface BatchOutcome {
  readonly verdicts: Readonly<Partial<Record<Verdict | 'duplicate', number>>>;
  /** Events of a type that this build does not know: passed over, and somebody should know. */
  readonly unknownTypes: number;
}

export interface PollsOutcome {
  /** In the order of the polls. */
  readonly polls: readonly BatchOutcome[];
  readonly staged: number;
}

/** Handles what is not done yet of polls of one service. Everything or nothing happens; the caller decides what a failure means. */
export async function applyPolls<Desk>(
  transaction: Transaction,
  polls: readonly TracedPoll<Desk>[],
): Promise<PollsOutcome> {
  const fresh = await freshOf(transaction, polls);
  if (fresh.every(({ batches }) => batches.length === 0)) return { polls: polls.map(() => outcomeOf([])), staged: 0 };
  const opened = [];
  for (const { context, batches, spans } of fresh) {
    const decoded = batches.flatMap((batch) => decodeBatch(batch.records, batch, context.subscription.topic));
    const letters = await openDeadLetters(transaction, context, decoded);
    opened.push({ context, decoded, letters, spans });
  }
  const claimed = await together(opened.map(async (poll) => ({ ...poll, claims: await claim(transaction, poll) })));
  const set = new WorkingSet(transaction);
  const candidates = claimed.flatMap(({ decoded, claims, letters }) =>
    decoded.filter((one) => claims.isNew(one) && !letters.isBlocked(one)),
  );
  const { service, staging } = polls[0]!.context;
  const desk = await service.openDesk(set, candidates.flatMap(deskReferenceOf));
  const judged = claimed.map((poll) => ({
    ...poll,
    judged: poll.decoded.map((one) => ({ one, verdict: judge(one, { ...poll, desk, set }) })),
  }));
  const emissions = [...set.finish(), ...judged.flatMap(({ letters }) => letters.notices)];
  await together([
    ...judged.map((poll) => recordVerdicts(transaction, poll.judged, poll.claims)),
    ...judged.map(({ letters }) => letters.save()),
    set.flush(),
    stageEmissions(transaction, emissions, staging),
    advancePositions(transaction, fresh.flatMap(({ batches }) => batches.map(positionBehind))),
  ]);
  return { polls: judged.map((poll) => outcomeOf(poll.judged)), staged: emissions.length };
}

interface JudgedRecord {
  readonly one: DecodedRecord;
  readonly verdict: Judged;
}

const outcomeOf = (judged: readonly JudgedRecord[]): BatchOutcome => ({
  verdicts: count(judged.map(({ verdict }) => verdict)),
  unknownTypes: judged.filter(({ one, verdict }) => one.decoded.kind === 'unknown-type' && verdict !== 'duplicate').length,
});

const claim = <Desk>(
  transaction: Transaction,
  { context: { group, subscription }, decoded }: { readonly context: BatchContext<Desk>; readonly decoded: readonly DecodedRecord[] },
): Promise<InboxClaims> => claimInbox(transaction, group, decoded, verdictWithoutRows(subscription));

/** What nobody here reacts to is passed over, whatever the rows say. */
function verdictWithoutRows<Desk>({ reactions, onOther }: SubscriptionDefinition<Desk>): (one: DecodedRecord) => Verdict {
  const types = new Set(reactions.map(({ contract }) => contract.type));
  return ({ envelope }) => (onOther !== undefined || types.has(envelope?.type ?? '') ? 'applied' : 'ignored');
}

interface FreshBatch extends RecordBatch {
  readonly position: PositionRow;
}

interface FreshPoll<Desk> extends TracedPoll<Desk> {
  readonly batches: readonly FreshBatch[];
}

/** What the database has not seen yet, in the order of the partitions. */
async function freshOf<Desk>(transaction: Transaction, polls: readonly TracedPoll<Desk>[]): Promise<readonly FreshPoll<Desk>[]> {
  const sorted = polls.map((poll) => ({
    ...poll,
    batches: poll.batches.toSorted((a, b) => a.partition - b.partition),
  }));
  const readings = sorted.flatMap(({ context, batches }) => batches.map((batch) => readingOf(batch, context)));
  const positions = (await lockPositions(transaction, readings)).values();
  return sorted.map((poll) => ({
    ...poll,
    batches: poll.batches.flatMap((batch) => {
      const position = positions.next().value!;
      const records = batch.records.filter(({ offset }) => offset >= position.nextOffset);
      if (records.length === 0) return [];
      if (isWithoutHoles(poll.context.subscription.topic)) refuseGap(position.nextOffset, records[0]!.offset, batch);
      return [{ ...batch, records, position }];
    }),
  }));
}

const positionBehind = ({ position, records }: FreshBatch): PositionRow => ({
  ...position,
  nextOffset: records.at(-1)!.offset + 1n,
  lastId: recordMark(records.at(-1)!),
});

/**
 * Our own services write without Kafka transactions to topics that are not compacted: there every offset exists. Others may
 * use transactions, whose markers take offsets; what retention takes from them is the transport's to see (attack H17).
 */
const isWithoutHoles = ({ source, config }: TopicDefinition): boolean =>
  serviceNames.some((service) => sourceOfService(service) === source) && config['cleanup.policy'] === 'delete';

function refuseGap(expected: bigint, found: bigint, batch: RecordBatch): void {
  if (found === expected) return;
  throw new CodedError('log_data_lost', 'The topic no longer holds what comes next here.', {
    topic: batch.topic,
    partition: batch.partition,
    expected: String(expected),
    found: String(found),
  });
}

interface Judging<Desk> {
  readonly desk: Desk;
  readonly set: WorkingSet;
  readonly letters: DeadLetters;
  readonly claims: InboxClaims;
  readonly context: BatchContext<Desk>;
  readonly spans: ProcessSpans;
}

type Judged = Verdict | 'duplicate';

function judge<Desk>(one: DecodedRecord, judging: Judging<Desk>): Judged {
  const { letters, claims, context } = judging;
  const { decoded } = one;
  if (claims.isReused(one)) return letters.declareDead(one, 'id_reused_with_other_content');
  if (!claims.isNew(one)) return 'duplicate';
  if (decoded.kind === 'dead') return letters.declareDead(one, decoded.reason);
  if (letters.isBlocked(one)) return letters.park(one);
  if (decoded.kind === 'invalid-data' && context.subscription.onInvalidCommand === undefined) {
    return letters.declareDead(one, 'data_invalid');
  }
  return handleMessage(one, { ...judging, subscription: context.subscription });
}

function count(verdicts: readonly Judged[]): Partial<Record<Judged, number>> {
  const counted: Partial<Record<Judged, number>> = {};
  for (const verdict of verdicts) counted[verdict] = (counted[verdict] ?? 0) + 1;
  return counted;
}

