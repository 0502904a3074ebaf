// The producer of the relay: idempotent, all in-sync replicas, one request in flight, one send at a time. One that fails is
// thrown away with its client, because kafkajs keeps fatal producer state for ever (field failure A-11).
import { counter } from '@compasso/observability';
import { CompressionTypes, type Kafka, type Producer, type TopicMessages } from 'kafkajs';
import type { OutgoingRecord } from '../ports/transport.ts';
import { kafkaLimits, type KafkaOptions, newClient } from './kafka-options.ts';
import { withinTime } from './within-time.ts';

const generations = counter('compasso_producer_generations_total');

export class KafkaProducer {
  private readonly options: KafkaOptions;
  private current: Promise<Producer> | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(options: KafkaOptions) {
    this.options = options;
  }

  /** Resolves when all records are acknowledged; rejects when that is not known, whatever was written. */
  publish(records: readonly OutgoingRecord[]): Promise<void> {
    const sent = this.queue.then(() => this.send(records));
    this.queue = sent.catch(() => undefined);
    return sent;
  }

  async close(): Promise<void> {
    await this.queue;
    await this.discard();
  }

  private async send(records: readonly OutgoingRecord[]): Promise<void> {
    try {
      const producer = await (this.current ??= this.connect());
      const topicMessages = groupByTopic(records, this.options.topicPrefix);
      await withinTime(
        producer.sendBatch({
          topicMessages,
          acks: -1,
          timeout: kafkaLimits.requestTimeoutMs,
          compression: CompressionTypes.None,
        }),
        kafkaLimits.publishTimeoutMs,
      );
    } catch (error) {
      generations.add(1, { cause: error instanceof Error ? error.name : 'unknown' });
      await this.discard();
      throw error;
    }
  }

  private async connect(): Promise<Producer> {
    const kafka: Kafka = newClient(this.options);
    const producer = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      // The partition is computed once, when the event is staged: no client may have an opinion of its own.
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition!,
      retry: { retries: kafkaLimits.retriesMax, initialRetryTime: kafkaLimits.retryDelayMs },
    });
    await withinTime(producer.connect(), kafkaLimits.publishTimeoutMs);
    return producer;
  }

  private async discard(): Promise<void> {
    const current = this.current;
    this.current = undefined;
    const producer = await current?.catch(() => undefined);
    if (producer === undefined) return;
    await withinTime(producer.disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
  }
}

function groupByTopic(records: readonly OutgoingRecord[], prefix: string): TopicMessages[] {
  const topics = new Map<string, TopicMessages>();
  for (const { topic, partition, key, value, headers } of records) {
    const physical = prefix + topic;
    const group = topics.get(physical) ?? { topic: physical, messages: [] };
    topics.set(physical, group);
    group.messages.push({ key, value, partition, headers: { ...headers } });
  }
  return [...topics.values()];
}
