// Reads a topic from its beginning to its end as it is now. kafkajs can only read as a member of a group, so a group of one
// is made for it and forgotten afterwards.
import { randomUUID } from 'node:crypto';
import { CodedError } from '@compasso/kernel';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { PartitionOffsets, RecordBatch } from '../ports/transport.ts';
import { toRecord } from './received-record.ts';
import { kafkaLimits } from './kafka-options.ts';
import { withinTime } from './within-time.ts';

export interface Reading {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly topicPrefix: string;
  readonly offsets: readonly PartitionOffsets[];
  readonly onBatch: (batch: RecordBatch) => Promise<void>;
}

/** @throws CodedError `topic_not_read` when the broker falls silent */
export async function readAll(reading: Reading): Promise<void> {
  const open = new Map(reading.offsets.filter(({ first, next }) => next > first).map((one) => [one.partition, one.next]));
  if (open.size === 0) return;
  const { kafka, topic, topicPrefix } = reading;
  const groupId = `${topicPrefix}read-all-${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    maxWaitTimeInMs: kafkaLimits.fetchWaitMs,
    maxBytes: kafkaLimits.fetchBytesMax,
    allowAutoTopicCreation: false,
    retry: { retries: kafkaLimits.retriesMax, restartOnFailure: async () => false },
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topicPrefix + topic], fromBeginning: true });
    await consume(consumer, reading, open);
  } finally {
    await withinTime(consumer.disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
    await forgetGroup(kafka, groupId);
  }
}

async function consume(consumer: Consumer, { topic, onBatch }: Reading, open: Map<number, bigint>): Promise<void> {
  let lastSign = performance.now();
  let watchdog: NodeJS.Timeout | undefined;
  const reached = (partition: number, offset: bigint): void => {
    const end = open.get(partition);
    if (end !== undefined && offset >= end - 1n) open.delete(partition);
  };
  const eachBatch = async ({ batch, isStale }: EachBatchPayload): Promise<void> => {
    const end = open.get(batch.partition);
    if (end === undefined || isStale()) return;
    const records = batch.messages.map(toRecord).filter(({ offset }) => offset < end);
    if (records.length === 0) return;
    await onBatch({ topic, partition: batch.partition, records, highWatermark: BigInt(batch.highWatermark) });
  };
  try {
    await new Promise<void>((resolve, reject) => {
      const { CRASH, END_BATCH_PROCESS, FETCH, HEARTBEAT } = consumer.events;
      consumer.on(CRASH, ({ payload }) => reject(payload.error));
      for (const event of [FETCH, HEARTBEAT]) consumer.on(event, () => (lastSign = performance.now()));
      // Also told of batches that held nothing but the markers of somebody's transactions, which reach no handler.
      consumer.on(END_BATCH_PROCESS, ({ payload }) => {
        lastSign = performance.now();
        reached(payload.partition, BigInt(payload.lastOffset));
        if (open.size === 0) resolve();
      });
      watchdog = setInterval(() => {
        if (performance.now() - lastSign < kafkaLimits.readSilenceMsMax) return;
        reject(new CodedError('topic_not_read', 'The broker fell silent before the end of the topic.', { topic }));
      }, 1_000);
      consumer.run({ autoCommit: false, eachBatch }).catch(reject);
    });
  } finally {
    clearInterval(watchdog);
  }
}

async function forgetGroup(kafka: Kafka, groupId: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.deleteGroups([groupId]);
  } catch {
    // An empty group expires by itself; failing to tidy up must not fail the read.
  } finally {
    await withinTime(admin.disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
  }
}
