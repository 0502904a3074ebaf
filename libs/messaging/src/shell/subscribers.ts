// What the transport is handed: one subscriber per topic, which knows the positions that it has seen.
import { temporarilyUnavailable } from '../ports/database-errors.ts';
import { recordsIn } from '../ports/records-in.ts';
import type { RecordBatch, Subscriber } from '../ports/transport.ts';
import type { BatchContext, Poll } from './batch.ts';
import { applyOnce, type BatchObservation, consumeBatches, type ConsumeParts } from './consume.ts';
import type { HandleAtOnce, ServiceDefinition } from './reaction.ts';
import { positionTable } from './tables.ts';

/** A topic of this process, and the partitions that have a position as far as it knows. */
interface Reader<Desk> {
  readonly context: BatchContext<Desk>;
  readonly positions: Set<number>;
}

export function subscribersOf<Desk>(
  contexts: readonly BatchContext<Desk>[],
  parts: ConsumeParts,
  inTurn: ServiceDefinition<Desk>['inTurn'],
): readonly Subscriber[] {
  const readers = contexts.map((context): Reader<Desk> => {
    const positions = new Set<number>();
    return { context: { ...context, hasPosition: (partition) => positions.has(partition) }, positions };
  });
  const subscribers = readers.map((reader) => subscriberOf(reader, parts));
  if (inTurn === undefined) return subscribers;
  const atOnce = handleAtOnce(readers, parts);
  return subscribers.map((subscriber) => inTurn(subscriber, atOnce));
}

function subscriberOf<Desk>({ context, positions }: Reader<Desk>, parts: ConsumeParts): Subscriber {
  const topic = context.subscription.topic.name;
  return {
    group: context.group,
    topic,
    async position(partition) {
      try {
        return await parts.unitOfWork.run(async (transaction) => {
          const [row] = await transaction.read(positionTable, [[context.group, topic, partition]]);
          if (row === undefined) positions.delete(partition);
          else positions.add(partition);
          return row;
        });
      } catch (error) {
        throw parts.unitOfWork.meaningOf(error) === 'transient' ? temporarilyUnavailable(error, 1) : error;
      }
    },
    async handle(batches, signal) {
      await consumeBatches(batches, context, parts, signal);
      noteHandled(positions, batches);
    },
  };
}

const handleAtOnce =
  <Desk>(readers: readonly Reader<Desk>[], parts: ConsumeParts): HandleAtOnce =>
  async (batches, signal) => {
    const polls = readers.flatMap(({ context, positions }) => {
      const own = batches.filter(({ topic }) => topic === context.subscription.topic.name);
      return own.length === 0 ? [] : [{ context, positions, batches: own }];
    });
    try {
      await applyOnce(polls, parts, signal);
    } catch (error) {
      if (!signal.aborted) for (const poll of polls) parts.observe(failureOf(poll, error, parts));
      throw error;
    }
    for (const poll of polls) noteHandled(poll.positions, poll.batches);
  };

function failureOf<Desk>({ context, batches }: Poll<Desk>, error: unknown, { unitOfWork }: ConsumeParts): BatchObservation {
  const topic = context.subscription.topic.name;
  const meaning = unitOfWork.meaningOf(error);
  if (meaning !== 'permanent') return { kind: 'retried', topic, cause: meaning, attempt: 1 };
  return { kind: 'split', topic, messages: recordsIn(batches), error };
}

function noteHandled(positions: Set<number>, batches: readonly RecordBatch[]): void {
  for (const { partition, records } of batches) if (records.length > 0) positions.add(partition);
}
