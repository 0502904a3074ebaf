// The transport on real Kafka through kafkajs.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { TopicDefinition } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import type {
  OutgoingRecord,
  PartitionOffsets,
  RecordBatch,
  Subscriber,
  Subscription,
  Transport,
} from '../ports/transport.ts';
import { offsetsOf, toRecord } from './consumer-generation.ts';
import { ConsumerSupervisor, type OnFatal } from './consumer-supervisor.ts';
import { kafkaLimits, type KafkaOptions, newClient } from './kafka-options.ts';
import { KafkaProducer } from './kafka-producer.ts';
import { withinTime } from './within-time.ts';

export class KafkaTransport implements Transport {
  private readonly options: KafkaOptions;
  private readonly onFatal: OnFatal;
  private readonly producer: KafkaProducer;
  private readonly subscriptions: ConsumerSupervisor[] = [];

  constructor(options: KafkaOptions, onFatal: OnFatal) {
    this.options = options;
    this.onFatal = onFatal;
    this.producer = new KafkaProducer(options);
  }

  /** Waits until the topics exist, for as long as `signal` allows. @throws CodedError when a partition count differs. */
  async awaitTopics(topics: readonly TopicDefinition[], signal: AbortSignal): Promise<void> {
    for (;;) {
      const counts = await this.partitionCounts(topics.map(({ name }) => name)).catch(() => undefined);
      const wrong = topics.find(({ name, partitions }) => (counts?.get(name) ?? partitions) !== partitions);
      if (wrong !== undefined) {
        throw new CodedError('partition_count_differs', 'A topic has another number of partitions than its definition.', {
          topic: wrong.name,
          expected: wrong.partitions,
          found: counts?.get(wrong.name),
        });
      }
      if (topics.every(({ name }) => counts?.has(name) === true)) return;
      await pause(500, undefined, { signal });
    }
  }

  async subscribe(subscriber: Subscriber): Promise<Subscription> {
    const supervisor = new ConsumerSupervisor(this.options, subscriber, this.onFatal);
    this.subscriptions.push(supervisor);
    supervisor.start();
    return supervisor;
  }

  publish(records: readonly OutgoingRecord[]): Promise<void> {
    return this.producer.publish(records);
  }

  offsets(topic: string): Promise<readonly PartitionOffsets[]> {
    return offsetsOf(newClient(this.options), this.options.topicPrefix + topic);
  }

  async readAll(topic: string, onBatch: (batch: RecordBatch) => Promise<void>): Promise<void> {
    const ends = new Map((await this.offsets(topic)).map((one) => [one.partition, one]));
    const open = new Set([...ends.values()].filter((one) => one.next > one.first).map((one) => one.partition));
    if (open.size === 0) return;
    const groupId = `${this.options.topicPrefix}read-all-${randomUUID()}`;
    const kafka = newClient(this.options);
    const consumer = kafka.consumer({
      groupId,
      maxWaitTimeInMs: kafkaLimits.fetchWaitMs,
      maxBytes: kafkaLimits.fetchBytesMax,
      allowAutoTopicCreation: false,
      retry: { retries: kafkaLimits.retriesMax, restartOnFailure: async () => false },
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [this.options.topicPrefix + topic], fromBeginning: true });
    try {
      await new Promise<void>((resolve, reject) => {
        consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
        void consumer
          .run({
            autoCommit: false,
            eachBatch: async ({ batch }) => {
              const end = ends.get(batch.partition)!.next;
              if (!open.has(batch.partition)) return;
              const records = batch.messages.map(toRecord).filter(({ offset }) => offset < end);
              if (records.length > 0) {
                const highWatermark = BigInt(batch.highWatermark);
                await onBatch({ topic, partition: batch.partition, records, highWatermark });
              }
              if (BigInt(batch.lastOffset()) >= end - 1n) open.delete(batch.partition);
              if (open.size === 0) resolve();
            },
          })
          .catch(reject);
      });
    } finally {
      await withinTime(consumer.disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
      await this.forgetGroup(groupId);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.subscriptions.map((subscription) => subscription.stop()));
    await this.producer.close();
  }

  private async partitionCounts(topics: readonly string[]): Promise<Map<string, number>> {
    const admin = newClient(this.options).admin();
    try {
      await admin.connect();
      const existing = new Set(await admin.listTopics());
      const physical = topics.map((topic) => this.options.topicPrefix + topic).filter((topic) => existing.has(topic));
      const metadata = await admin.fetchTopicMetadata({ topics: physical });
      return new Map(
        metadata.topics.map(({ name, partitions }) => [name.slice(this.options.topicPrefix.length), partitions.length]),
      );
    } finally {
      await withinTime(admin.disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
    }
  }

  private async forgetGroup(groupId: string): Promise<void> {
    const admin = newClient(this.options).admin();
    try {
      await admin.connect();
      await admin.deleteGroups([groupId]);
    } catch {
      // An empty group expires by itself; failing to tidy up must not fail the read.
    } finally {
      await withinTime(admin.disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
    }
  }
}
