// The transport on real Kafka through kafkajs.
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
import { ConsumerSupervisor, type OnFatal } from './consumer-supervisor.ts';
import { kafkaLimits, type KafkaOptions, newClient } from './kafka-options.ts';
import { KafkaProducer } from './kafka-producer.ts';
import { LogOffsets } from './log-offsets.ts';
import { readAll } from './read-all.ts';
import { withinTime } from './within-time.ts';

const topicsPollMs = 500;
/** Topics may be created after the services start: not worth a line at once, nor one each time. */
const attemptsPerSentence = 10;

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
    const names = topics.map(({ name }) => name);
    for (let attempt = 0; ; attempt += 1) {
      const found = await this.partitionCounts(names).catch((error: unknown) => error);
      const counts = found instanceof Map ? (found as Map<string, number>) : new Map<string, number>();
      const wrong = topics.find(({ name, partitions }) => (counts.get(name) ?? partitions) !== partitions);
      if (wrong !== undefined) {
        throw new CodedError('partition_count_differs', 'A topic has another number of partitions than its definition.', {
          topic: wrong.name,
          expected: wrong.partitions,
          found: counts.get(wrong.name),
        });
      }
      const missing = names.filter((name) => !counts.has(name));
      if (missing.length === 0) return;
      if (attempt % attemptsPerSentence === attemptsPerSentence - 1) {
        const cause = found instanceof Error ? `${found.name}: ${found.message}` : undefined;
        this.options.logger.warn({ missing, cause }, 'topics do not exist yet, or Kafka does not answer');
      }
      await pause(topicsPollMs, undefined, { signal });
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

  async offsets(topic: string): Promise<readonly PartitionOffsets[]> {
    const log = new LogOffsets(newClient(this.options), this.options.topicPrefix + topic);
    try {
      return await log.read();
    } finally {
      await log.close();
    }
  }

  async readAll(topic: string, onBatch: (batch: RecordBatch) => Promise<void>): Promise<void> {
    const { topicPrefix } = this.options;
    const offsets = await this.offsets(topic);
    await readAll({ kafka: newClient(this.options), topic, topicPrefix, offsets, onBatch });
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
      // Asked about no topic, the broker would tell of all of them, other prefixes included.
      if (physical.length === 0) return new Map();
      const metadata = await admin.fetchTopicMetadata({ topics: physical });
      return new Map(
        metadata.topics.map(({ name, partitions }) => [name.slice(this.options.topicPrefix.length), partitions.length]),
      );
    } finally {
      await withinTime(admin.disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
    }
  }
}
