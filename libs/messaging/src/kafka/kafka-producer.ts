// The producer of the relay: idempotent, all in-sync replicas, one request in flight, one send at a time. One that fails is
// thrown away with its client, because kafkajs keeps fatal producer state for ever (field failure A-11).
import { counter } from '@compasso/observability';
import { CodedError } from '@compasso/kernel';
import { CompressionTypes, type Producer, type RecordMetadata, type TopicMessages } from 'kafkajs';
import type { OutgoingRecord } from '../ports/transport.ts';
import { kafkaLimits, type KafkaOptions, newClient } from './kafka-options.ts';
import { withinTime } from './within-time.ts';

const generations = counter('compasso_producer_generations_total');

export class KafkaProducer {
  private readonly options: KafkaOptions;
  private current: { readonly producer: Producer; readonly connected: Promise<void> } | undefined;
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
    await withinTime(this.queue, kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
    await this.discard(Promise.resolve());
  }

  private async send(records: readonly OutgoingRecord[]): Promise<void> {
    const topicMessages = groupByTopic(records, this.options.topicPrefix);
    let sending: Promise<unknown> = Promise.resolve();
    try {
      const { producer, connected } = (this.current ??= this.connect());
      await withinTime(connected, kafkaLimits.publishTimeoutMs);
      const answers = producer.sendBatch({
        topicMessages,
        acks: -1,
        timeout: kafkaLimits.requestTimeoutMs,
        compression: CompressionTypes.None,
      });
      sending = answers;
      refuseMissing(topicMessages, await withinTime(answers, kafkaLimits.publishTimeoutMs));
    } catch (error) {
      generations.add(1, { cause: error instanceof Error ? error.name : 'unknown' });
      await this.discard(sending);
      throw error;
    }
  }

  private connect(): { readonly producer: Producer; readonly connected: Promise<void> } {
    const producer = newClient(this.options).producer({
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
    return { producer, connected: producer.connect() };
  }

  /** A send that is still going on connects again by itself, so its client is closed once more when it has ended. */
  private async discard(sending: Promise<unknown>): Promise<void> {
    const current = this.current;
    this.current = undefined;
    if (current === undefined) return;
    const { producer, connected } = current;
    const disconnect = (): Promise<void> => producer.disconnect().catch(() => undefined);
    void Promise.allSettled([connected, sending]).then(disconnect);
    await withinTime(disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
  }
}

/**
 * kafkajs reports success when a partition's leader moved between two of its own tries to a broker that had answered for
 * other partitions: those records were never sent. Only an answer for each partition counts.
 */
function refuseMissing(topicMessages: readonly TopicMessages[], answers: readonly RecordMetadata[]): void {
  const acknowledged = new Set(
    answers.filter(({ errorCode }) => errorCode === 0).map(({ topicName, partition }) => `${topicName}/${partition}`),
  );
  for (const { topic, messages } of topicMessages) {
    const missing = messages.find(({ partition }) => !acknowledged.has(`${topic}/${partition}`));
    if (missing === undefined) continue;
    throw new CodedError('acknowledgement_missing', 'The brokers did not acknowledge every partition.', {
      topic,
      partition: missing.partition,
    });
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
