// One batch of one partition in one transaction: position, blocked subjects, inbox, rows, pure decisions, events, commit.
// The order of the steps is the order of the locks, the same in every service (attack H31).
import { currentTraceparent } from '@compasso/observability';
import { CodedError } from '@compasso/kernel';
import type { RecordBatch } from '../ports/transport.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import { type DeadLetters, openDeadLetters } from './dead-letters.ts';
import { claimInbox, recordVerdicts } from './inbox.ts';
import { type DecodedRecord, decodeBatch, deskReferenceOf } from './incoming.ts';
import { advancePosition, lockPosition } from './position.ts';
import type { ProcessSpans } from './process-spans.ts';
import type { ServiceDefinition, SubscriptionDefinition } from './reaction.ts';
import { type Staging, stageEmissions } from './stage.ts';
import type { Verdict } from './tables.ts';
import { WorkingSet } from './working-set.ts';

export interface BatchContext<Desk> {
  readonly service: ServiceDefinition<Desk>;
  readonly subscription: SubscriptionDefinition<Desk>;
  readonly group: string;
  readonly staging: Staging;
}

/** What a batch came to, for metrics: how many messages ended with which verdict. */
export interface BatchOutcome {
  readonly verdicts: Readonly<Partial<Record<Verdict | 'duplicate', number>>>;
  readonly staged: number;
}

export const nothingToDo: BatchOutcome = { verdicts: {}, staged: 0 };

/** Handles what of the batch is not done yet. Everything or nothing happens; the caller decides what a failure means. */
export async function applyBatch<Desk>(
  transaction: Transaction,
  batch: RecordBatch,
  context: BatchContext<Desk>,
  spans: ProcessSpans,
): Promise<BatchOutcome> {
  const { group, subscription } = context;
  const topic = subscription.topic;
  const start = batch.records[0]?.offset ?? 0n;
  const position = await lockPosition(transaction, group, topic.name, batch.partition, start);
  const fresh = batch.records.filter((record) => record.offset >= position.nextOffset);
  if (fresh.length === 0) return nothingToDo;
  refuseGap(position.nextOffset, fresh[0]!.offset, batch);

  const decoded = decodeBatch(fresh, batch, topic);
  const letters = await openDeadLetters(transaction, context, decoded);
  const claims = await claimInbox(transaction, group, decoded);
  const set = new WorkingSet(transaction);
  const candidates = decoded.filter((one) => claims.isNew(one) && !letters.isBlocked(one));
  const desk = await context.service.openDesk(set, candidates.flatMap(deskReferenceOf));
  const judged = decoded.map((one) => ({
    one,
    verdict: judge(one, { desk, set, letters, claims, context, spans }),
  }));
  await recordVerdicts(transaction, judged, claims);
  await letters.save();
  await set.flush();
  const emissions = [...set.emissions, ...letters.notices];
  const staged = await stageEmissions(transaction, emissions, context.staging);
  await advancePosition(transaction, {
    ...position,
    nextOffset: fresh.at(-1)!.offset + 1n,
    lastId: decoded.at(-1)!.envelope?.id ?? null,
  });
  return { verdicts: count(judged.map(({ verdict }) => verdict)), staged };
}

/** On topics without Kafka transactions every offset exists: a hole means that records were lost (attack H17). */
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
  readonly claims: { isNew(one: DecodedRecord): boolean; isReused(one: DecodedRecord): boolean };
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
  return withSpan(one, judging, () => handle(one, judging));
}

function handle<Desk>(one: DecodedRecord, { context, desk }: Judging<Desk>): Judged {
  const { decoded, event } = one;
  const { subscription } = context;
  if (decoded.kind === 'invalid-data') {
    subscription.onInvalidCommand?.(decoded, desk);
    return 'applied';
  }
  if (event === undefined) return 'ignored';
  const reaction = subscription.reactions.find(({ contract }) => contract.type === event.envelope.type);
  if (reaction !== undefined) return reaction.handle(event, desk);
  return subscription.onOther?.(event, desk) ?? 'ignored';
}

/** Events emitted by a handler belong to the message that caused them, and to its trace. */
function withSpan<Desk>(one: DecodedRecord, judging: Judging<Desk>, work: () => Judged): Judged {
  const { set, spans } = judging;
  const before = set.emissions.length;
  const span = spans.begin(one);
  const verdict = span.run(work);
  const traceparent = span.traceparent ?? currentTraceparent();
  for (let at = before; at < set.emissions.length; at += 1) {
    const emitted = set.emissions[at]!;
    set.emissions[at] = {
      ...emitted,
      causationId: emitted.causationId ?? one.envelope?.id,
      traceparent: emitted.traceparent ?? traceparent,
    };
  }
  return verdict;
}

function count(verdicts: readonly Judged[]): Partial<Record<Judged, number>> {
  const counted: Partial<Record<Judged, number>> = {};
  for (const verdict of verdicts) counted[verdict] = (counted[verdict] ?? 0) + 1;
  return counted;
}

