// What happens to a batch that fails: transient failures are tried again, a bad message is found by splitting, and a bug
// stops the process. Nothing here ever skips a message.
import { CodedError, type Instant } from '@compasso/kernel';
import { temporarilyUnavailable } from '../ports/database-errors.ts';
import { recordMark } from '../ports/record-mark.ts';
import { recordsIn } from '../ports/records-in.ts';
import type { RecordBatch } from '../ports/transport.ts';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.ts';
import { applyPolls, type BatchContext, type BatchOutcome, type Poll, readingOf } from './batch.ts';
import { openDeadLetters } from './dead-letters.ts';
import { claimInbox, recordVerdicts } from './inbox.ts';
import { decodeBatch } from './incoming.ts';
import { advancePositions, lockPositions } from './position.ts';
import { processSpans } from './process-spans.ts';
import { stageEmissions } from './stage.ts';
import { stopTable } from './tables.ts';

export interface ConsumeParts {
  readonly unitOfWork: UnitOfWork;
  readonly pauseBeforeRetry: (attempt: number) => Promise<void>;
  readonly wake: () => void;
  readonly observe: (observation: BatchObservation) => void;
}

export interface BatchApplied {
  readonly kind: 'applied';
  readonly topic: string;
  readonly outcome: BatchOutcome;
  readonly seconds: number;
  readonly messages: number;
  /** When the broker took the first of them. */
  readonly oldest: Instant | undefined;
}

export type BatchObservation =
  | BatchApplied
  | { readonly kind: 'retried'; readonly topic: string; readonly cause: string; readonly attempt: number }
  | { readonly kind: 'split'; readonly topic: string; readonly messages: number; readonly error: unknown }
  | { readonly kind: 'declared-dead'; readonly topic: string; readonly offset: bigint; readonly error: unknown };

/** Then the generation ends: whoever runs the consumer pauses, starts anew and meets the same batch, for ever if need be. */
export const attemptsMax = 8;
/** Splitting to the bad message multiplies them, and all of it must fit into a session. */
export const conflictAttemptsMax = 4;
/** The third stop at one offset makes that message dead, so that one bug cannot stop every account (attack H16). */
export const stopsMax = 3;

/** A message that the code cannot handle although it should. The process ends loudly; Kafka redelivers. */
export class StopTheProcess extends CodedError {
  override readonly name: string = 'StopTheProcess';
}

/** At most one batch per partition. */
export async function consumeBatches<Desk>(
  batches: readonly RecordBatch[],
  context: BatchContext<Desk>,
  parts: ConsumeParts,
  signal: AbortSignal,
): Promise<void> {
  try {
    await applyWithRetries(batches, context, parts, signal);
  } catch (error) {
    if (signal.aborted || !isAboutTheMessages(error, parts.unitOfWork)) throw error;
    const [only] = batches;
    if (only !== undefined && recordsIn(batches) === 1) {
      return stopOrDeclareDead(only, context, parts, { error, signal });
    }
    parts.observe({ kind: 'split', topic: context.subscription.topic.name, messages: recordsIn(batches), error });
    for (const half of halvesOf(batches)) await consumeBatches(half, context, parts, signal);
  }
}

/** Between partitions first; within one, in the order of its offsets. */
function halvesOf(batches: readonly RecordBatch[]): readonly (readonly RecordBatch[])[] {
  const filled = batches.filter(({ records }) => records.length > 0);
  if (filled.length > 1) {
    const middle = Math.ceil(filled.length / 2);
    return [filled.slice(0, middle), filled.slice(middle)];
  }
  return filled.flatMap((batch) => {
    const middle = Math.ceil(batch.records.length / 2);
    return [
      [{ ...batch, records: batch.records.slice(0, middle) }],
      [{ ...batch, records: batch.records.slice(middle) }],
    ];
  });
}

/** A conflict that comes back however often everything is read again is no race: a message asks for what is taken. */
const isAboutTheMessages = (error: unknown, unitOfWork: UnitOfWork): boolean =>
  !(error instanceof StopTheProcess) &&
  !(error instanceof CodedError && error.code === 'log_data_lost') &&
  unitOfWork.meaningOf(error) !== 'transient';

async function applyWithRetries<Desk>(
  batches: readonly RecordBatch[],
  context: BatchContext<Desk>,
  parts: ConsumeParts,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyOnce([{ batches, context }], parts, signal);
    } catch (error) {
      const meaning = parts.unitOfWork.meaningOf(error);
      if (meaning === 'permanent' || signal.aborted) throw error;
      if (meaning === 'conflict' && attempt >= conflictAttemptsMax) throw error;
      if (attempt >= attemptsMax) throw temporarilyUnavailable(error, attempt);
      parts.observe({ kind: 'retried', topic: context.subscription.topic.name, cause: meaning, attempt });
      await parts.pauseBeforeRetry(attempt);
    }
  }
}

/** One try, in one transaction, whatever the outcome: polls of several topics that touch the same rows cost one of each. */
export async function applyOnce<Desk>(
  polls: readonly Poll<Desk>[],
  parts: Pick<ConsumeParts, 'unitOfWork' | 'wake' | 'observe'>,
  signal: AbortSignal,
): Promise<void> {
  const traced = polls.map((poll) => ({ ...poll, spans: processSpans(poll.context) }));
  const started = performance.now();
  try {
    const outcome = await parts.unitOfWork.run((transaction) => applyPolls(transaction, traced), { signal });
    for (const { spans } of traced) spans.endAll();
    if (outcome.staged > 0) parts.wake();
    const seconds = (performance.now() - started) / 1000;
    for (const [at, { context, batches }] of polls.entries()) {
      const topic = context.subscription.topic.name;
      const measures = { seconds, messages: recordsIn(batches), oldest: oldestIn(batches) };
      parts.observe({ kind: 'applied', topic, outcome: outcome.polls[at]!, ...measures });
    }
  } catch (error) {
    for (const { spans } of traced) spans.endAll(error);
    throw error;
  }
}

const oldestIn = (batches: readonly RecordBatch[]): Instant | undefined => {
  const first = batches.flatMap(({ records }) => records.slice(0, 1)).map(({ timestamp }) => timestamp);
  return first.length === 0 ? undefined : (Math.min(...first) as Instant);
};

interface Failure {
  readonly error: unknown;
  readonly signal: AbortSignal;
}

/** Counted in a transaction of its own, before the process ends: a restart must find the count. */
async function stopOrDeclareDead<Desk>(
  batch: RecordBatch,
  context: BatchContext<Desk>,
  parts: ConsumeParts,
  { error, signal }: Failure,
): Promise<void> {
  const record = batch.records[0]!;
  const key = [context.group, batch.topic, batch.partition, record.offset] as const;
  const count = await parts.unitOfWork.run(async (transaction) => {
    const [known] = await transaction.lock(stopTable, [key]);
    const row = {
      groupName: context.group,
      topic: batch.topic,
      partition: batch.partition,
      offset: record.offset,
      count: (known?.count ?? 0) + 1,
    };
    if (known === undefined) await transaction.insertMissing(stopTable, [row]);
    else await transaction.update(stopTable, [row]);
    return row.count;
  }, { signal });
  if (count < stopsMax) {
    throw new StopTheProcess(
      'message_stops_the_process',
      'A message cannot be handled although it should; the process stops and meets it again.',
      { topic: batch.topic, partition: batch.partition, offset: String(record.offset), count },
      { cause: error },
    );
  }
  await parts.unitOfWork.run((transaction) => declareDead(transaction, batch, context), { signal });
  parts.observe({ kind: 'declared-dead', topic: batch.topic, offset: record.offset, error });
  parts.wake();
}

async function declareDead<Desk>(
  transaction: Transaction,
  batch: RecordBatch,
  context: BatchContext<Desk>,
): Promise<void> {
  const { group, subscription } = context;
  const [position] = await lockPositions(transaction, [readingOf(batch, context)]);
  const [one] = decodeBatch(batch.records, batch, subscription.topic);
  if (position === undefined || one === undefined || one.record.offset < position.nextOffset) return;
  const letters = await openDeadLetters(transaction, context, [one]);
  const claims = await claimInbox(transaction, group, [one]);
  letters.declareDead(one, 'handling_failed_three_times');
  await recordVerdicts(transaction, [{ one, verdict: 'dead' }], claims);
  await letters.save();
  await stageEmissions(transaction, letters.notices, context.staging);
  const next = { ...position, nextOffset: one.record.offset + 1n, lastId: recordMark(one.record) };
  await advancePositions(transaction, [next]);
}
