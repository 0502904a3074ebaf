// One life of a kafkajs consumer. kafkajs does not survive the death of its group's coordinator, so the first sign of
// trouble ends the generation: its handlers are fenced, the client is thrown away, and a new one starts elsewhere.
import { CodedError, instantOf, invariant } from '@compasso/kernel';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { PartitionOffsets, ReceivedRecord, Subscriber } from '../ports/transport.ts';
import { kafkaLimits, type KafkaOptions, newClient } from './kafka-options.ts';
import { confirmSeat, type Seat, takeSeat } from './seat.ts';
import { withinTime } from './within-time.ts';

export interface GenerationEnd {
  readonly cause: string;
  readonly error?: unknown;
  /** It had joined its group: losing it says something; never joining says only that Kafka is away. */
  readonly joined: boolean;
}

export class ConsumerGeneration {
  readonly ended: Promise<GenerationEnd>;
  private readonly options: KafkaOptions;
  private readonly subscriber: Subscriber;
  private readonly kafka: Kafka;
  private readonly consumer: Consumer;
  private readonly abort = new AbortController();
  private seating: Promise<ReadonlyMap<number, Seat>> = Promise.resolve(new Map());
  private readonly confirmed = new Set<number>();
  private readonly inFlight = new Set<Promise<void>>();
  private readonly lags = new Map<number, bigint>();
  private readonly uncommitted = new Map<number, bigint>();
  private resolveEnded: (end: GenerationEnd) => void = () => undefined;
  private watchdog: NodeJS.Timeout | undefined;
  private lastSign = performance.now();
  private lastCommit = performance.now();
  private joined = false;
  private partitions: readonly number[] = [];

  constructor(options: KafkaOptions, subscriber: Subscriber) {
    this.options = options;
    this.subscriber = subscriber;
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    this.kafka = newClient(options);
    this.consumer = this.kafka.consumer({
      groupId: options.topicPrefix + subscriber.group,
      sessionTimeout: kafkaLimits.sessionTimeoutMs,
      rebalanceTimeout: kafkaLimits.rebalanceTimeoutMs,
      heartbeatInterval: kafkaLimits.heartbeatIntervalMs,
      maxWaitTimeInMs: kafkaLimits.fetchWaitMs,
      maxBytes: kafkaLimits.fetchBytesMax,
      allowAutoTopicCreation: false,
      retry: { retries: kafkaLimits.retriesMax, restartOnFailure: async () => false },
    });
  }

  async start(): Promise<void> {
    const { CRASH, HEARTBEAT, FETCH, GROUP_JOIN } = this.consumer.events;
    this.consumer.on(CRASH, ({ payload }) => this.end('crash', payload.error));
    this.consumer.on(HEARTBEAT, () => this.sign());
    this.consumer.on(FETCH, () => this.sign());
    this.consumer.on(GROUP_JOIN, ({ payload }) => {
      this.joined = true;
      this.sign();
      this.confirmed.clear();
      this.lags.clear();
      this.partitions = payload.memberAssignment[this.physicalTopic] ?? [];
      this.seating = this.takeSeats(this.partitions);
      this.seating.catch((error: unknown) => this.end('seating-failed', error));
    });
    this.watchdog = setInterval(() => this.watch(), 1_000);
    try {
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [this.physicalTopic], fromBeginning: true });
      await this.consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 2,
        eachBatch: (payload) => this.eachBatch(payload),
      });
    } catch (error) {
      this.end('start-failed', error);
    }
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Milliseconds since the broker last answered; the batch at hand counts as an answer while it is young. */
  silenceMs(): number {
    return performance.now() - this.lastSign;
  }

  hasJoined(): boolean {
    return this.joined;
  }

  assigned(): readonly number[] {
    return this.partitions;
  }

  lag(): bigint {
    let total = 0n;
    for (const lag of this.lags.values()) total += lag;
    return total;
  }

  /** Lets the batch at hand commit, then leaves the group. */
  async stop(): Promise<void> {
    await withinTime(this.consumer.stop(), kafkaLimits.sessionTimeoutMs).catch(() => undefined);
    await withinTime(this.commit(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
    this.end('stopped');
    await this.discard();
  }

  /** Frees what is left of an ended generation, with a time limit: a dead coordinator never answers. */
  async discard(): Promise<void> {
    await Promise.allSettled([
      withinTime(this.consumer.disconnect(), kafkaLimits.disconnectTimeoutMs),
      withinTime(Promise.allSettled([...this.inFlight]), kafkaLimits.disconnectTimeoutMs),
    ]);
  }

  private get physicalTopic(): string {
    return this.options.topicPrefix + this.subscriber.topic;
  }

  private sign(): void {
    this.lastSign = performance.now();
  }

  private watch(): void {
    if (this.silenceMs() > kafkaLimits.sessionTimeoutMs) this.end('silence');
  }

  private end(cause: string, error?: unknown): void {
    if (this.abort.signal.aborted) return;
    clearInterval(this.watchdog);
    this.abort.abort(new CodedError('generation_over', 'This consumer generation is over.', { cause }));
    this.resolveEnded({ cause, error, joined: this.joined });
  }

  private async eachBatch(payload: EachBatchPayload): Promise<void> {
    if (this.abort.signal.aborted) return;
    const work = this.handle(payload).catch((error: unknown) => this.end('batch-failed', error));
    this.inFlight.add(work);
    await work;
    this.inFlight.delete(work);
  }

  private async handle(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const records = batch.messages.map(toRecord);
    const first = records[0];
    if (first === undefined) return;
    const seat = (await this.seating).get(batch.partition);
    // What was fetched from the group's offset before our seek is stale: the database's position decides.
    if (seat === undefined || payload.isStale() || this.abort.signal.aborted) return;
    if (!this.confirmed.has(batch.partition)) {
      // `nextOffset` itself comes first only where retention has just taken the record before it.
      if (first.offset !== seat.seekTo && first.offset !== seat.nextOffset) return this.end('seat-not-found');
      confirmSeat(this.subscriber.topic, batch.partition, seat, first);
      this.confirmed.add(batch.partition);
    }
    await this.handleRecords(payload, records);
  }

  private async handleRecords(
    { batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload,
    records: readonly ReceivedRecord[],
  ): Promise<void> {
    const highWatermark = BigInt(batch.highWatermark);
    for (let from = 0; from < records.length; from += kafkaLimits.batchRecordsMax) {
      if (!isRunning() || isStale() || this.abort.signal.aborted) return;
      const chunk = records.slice(from, from + kafkaLimits.batchRecordsMax);
      await this.subscriber.handle(
        { topic: this.subscriber.topic, partition: batch.partition, records: chunk, highWatermark },
        this.abort.signal,
      );
      const last = chunk.at(-1)!.offset;
      resolveOffset(String(last));
      this.lags.set(batch.partition, highWatermark - last - 1n);
      this.uncommitted.set(batch.partition, last + 1n);
      await heartbeat();
      if (performance.now() - this.lastCommit > kafkaLimits.commitIntervalMs) await this.commit();
    }
  }

  /** The group's offsets follow the database, now and then: they only serve monitoring and a first guess. */
  private async commit(): Promise<void> {
    this.lastCommit = performance.now();
    const offsets = [...this.uncommitted].map(([partition, offset]) => ({
      topic: this.physicalTopic,
      partition,
      offset: String(offset),
    }));
    this.uncommitted.clear();
    if (offsets.length > 0) await this.consumer.commitOffsets(offsets);
  }

  /** On every assignment: where the database stands, whether the log still has it, and a seek to just before it. */
  private async takeSeats(partitions: readonly number[]): Promise<ReadonlyMap<number, Seat>> {
    const [found, positions] = await Promise.all([
      offsetsOf(this.kafka, this.physicalTopic),
      Promise.all(partitions.map((partition) => this.subscriber.position(partition))),
    ]);
    const seats = new Map<number, Seat>();
    for (const [at, partition] of partitions.entries()) {
      const offsets = found.find((one) => one.partition === partition);
      invariant(offsets !== undefined, 'an assigned partition exists', { partition });
      const seat = takeSeat(this.subscriber.topic, offsets, positions[at]);
      seats.set(partition, seat);
      this.consumer.seek({ topic: this.physicalTopic, partition, offset: String(seat.seekTo) });
    }
    return seats;
  }
}

export async function offsetsOf(kafka: Kafka, topic: string): Promise<readonly PartitionOffsets[]> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.map(({ partition, low, high }) => ({ partition, first: BigInt(low), next: BigInt(high) }));
  } finally {
    await withinTime(admin.disconnect(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
  }
}

export const toRecord = (message: EachBatchPayload['batch']['messages'][number]): ReceivedRecord => ({
  offset: BigInt(message.offset),
  timestamp: instantOf(Number(message.timestamp)),
  key: message.key,
  value: message.value,
  headers: message.headers ?? {},
});
