// One life of a kafkajs consumer. kafkajs does not survive the death of its group's coordinator, so the first sign of
// trouble ends the generation: its handlers are fenced, the client is thrown away, and a new one starts elsewhere. A
// rebalance is no trouble: kafkajs joins again, and the partitions are seated anew.
import { setTimeout as pause } from 'node:timers/promises';
import { CodedError } from '@compasso/kernel';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { Gatherer } from '../gatherer.ts';
import type { ReceivedRecord, RecordBatch, Subscriber } from '../ports/transport.ts';
import { Assignment } from './assignment.ts';
import { isRebalance } from './group-errors.ts';
import { kafkaLimits, type KafkaOptions, newClient } from './kafka-options.ts';
import { LogOffsets } from './log-offsets.ts';
import { toRecord } from './received-record.ts';
import { withinTime } from './within-time.ts';

export interface GenerationEnd {
  readonly cause: string;
  readonly error?: unknown;
  /**
   * It handled something, or was a member for longer than a session: losing it says something. One that got nowhere says
   * only that Kafka is away.
   */
  readonly gotSomewhere: boolean;
}

export class ConsumerGeneration {
  readonly ended: Promise<GenerationEnd>;
  private readonly options: KafkaOptions;
  private readonly subscriber: Subscriber;
  private readonly physicalTopic: string;
  private readonly consumer: Consumer;
  private readonly log: LogOffsets;
  private readonly abort = new AbortController();
  private readonly inFlight = new Set<Promise<void>>();
  /** A poll brings a few records of each of many partitions: they cost one transaction, not one each. */
  private readonly together: Gatherer<RecordBatch, void>;
  private readonly uncommitted = new Map<number, bigint>();
  private assignment: Assignment;
  private resolveEnded: (end: GenerationEnd) => void = () => undefined;
  private starting: Promise<void> = Promise.resolve();
  private watchdog: NodeJS.Timeout | undefined;
  private lastSign = performance.now();
  private lastProgressCheck = performance.now();
  private joinedAt: number | undefined;
  private committing = false;
  private handledSomething = false;
  private stopping = false;

  constructor(options: KafkaOptions, subscriber: Subscriber) {
    this.options = options;
    this.subscriber = subscriber;
    this.physicalTopic = options.topicPrefix + subscriber.topic;
    this.assignment = new Assignment(subscriber.topic, []);
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    const kafka: Kafka = newClient(options);
    this.log = new LogOffsets(kafka, this.physicalTopic);
    this.together = new Gatherer({
      sizeMax: subscriber.recordsMax ?? kafkaLimits.batchRecordsMax,
      sizeOf: ({ records }) => records.length,
      write: (batches) => this.handleTogether(batches),
      rest: { now: () => performance.now(), pause },
    });
    this.consumer = kafka.consumer({
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

  start(): void {
    const { CRASH, HEARTBEAT, FETCH, GROUP_JOIN, REBALANCING, REQUEST } = this.consumer.events;
    this.consumer.on(CRASH, ({ payload }) => this.end('crash', payload.error));
    for (const event of [HEARTBEAT, FETCH, REBALANCING]) this.consumer.on(event, () => this.sign());
    this.consumer.on(GROUP_JOIN, ({ payload }) => this.begin(payload.memberAssignment[this.physicalTopic] ?? []));
    // kafkajs asks where the partitions are whenever a fetch has failed, and goes on at the same offset, be it of another log.
    this.consumer.on(REQUEST, ({ payload }) => {
      if (payload.apiName === 'Metadata' && this.assignment.isSeated) this.begin(this.assignment.partitions);
    });
    this.watchdog = setInterval(() => void this.watch(), 1_000);
    this.starting = this.join().catch((error: unknown) => this.end('start-failed', error));
  }

  /** Milliseconds since the broker last answered. */
  silenceMs(): number {
    return performance.now() - this.lastSign;
  }

  /** A member of its group that knows where to read on. */
  isSeated(): boolean {
    return this.joinedAt !== undefined && this.assignment.isSeated && !this.assignment.over;
  }

  assigned(): readonly number[] {
    return this.assignment.partitions;
  }

  lag(): bigint {
    return this.assignment.lag();
  }

  /** Lets the batch at hand commit, tells the group how far it came, then leaves it. */
  async stop(): Promise<void> {
    this.stopping = true;
    await withinTime(Promise.allSettled([...this.inFlight]), kafkaLimits.drainTimeoutMs).catch(() => undefined);
    await withinTime(this.commit(), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
    this.end('stopped');
    await this.discard();
  }

  /**
   * Frees what is left of an ended generation, with a time limit: a dead coordinator never answers. A client that is still
   * joining cannot be stopped, it would come alive afterwards and hold partitions that it never reads: it is stopped then.
   */
  async discard(): Promise<void> {
    const disconnected = this.starting.then(() => this.consumer.disconnect());
    await Promise.allSettled([
      withinTime(disconnected, kafkaLimits.disconnectTimeoutMs),
      withinTime(Promise.allSettled([...this.inFlight]), kafkaLimits.disconnectTimeoutMs),
      this.log.close(),
    ]);
  }

  private async join(): Promise<void> {
    await this.consumer.connect();
    if (this.abort.signal.aborted) return;
    await this.consumer.subscribe({ topics: [this.physicalTopic], fromBeginning: true });
    if (this.abort.signal.aborted) return;
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: kafkaLimits.partitionsAtOnce,
      eachBatch: (payload) => this.eachBatch(payload),
    });
  }

  private sign(): void {
    this.lastSign = performance.now();
  }

  private async watch(): Promise<void> {
    // Before it has joined, a rebalance of others may keep it waiting.
    const joining = this.joinedAt === undefined;
    const patienceMs = kafkaLimits.sessionTimeoutMs + (joining ? kafkaLimits.rebalanceTimeoutMs : 0);
    if (this.silenceMs() > patienceMs) return this.end('silence');
    await this.commit();
    if (performance.now() - this.lastProgressCheck > kafkaLimits.progressCheckMs) await this.checkProgress();
  }

  /** A member that is well by every sign and reads nothing: its leaders have moved, or its fetches ask nobody. */
  private async checkProgress(): Promise<void> {
    const assignment = this.assignment;
    this.lastProgressCheck = performance.now();
    if (!assignment.isSeated) return;
    const found = await this.log.read().catch(() => undefined);
    if (found === undefined || assignment.over) return;
    assignment.see(found);
    if (assignment.stalledMs() > kafkaLimits.stallMsMax) this.end('stalled');
  }

  private end(cause: string, error?: unknown): void {
    if (this.abort.signal.aborted) return;
    clearInterval(this.watchdog);
    this.assignment.over = true;
    this.abort.abort(new CodedError('generation_over', 'This consumer generation is over.', { cause }));
    const memberMs = this.joinedAt === undefined ? 0 : performance.now() - this.joinedAt;
    const gotSomewhere = this.handledSomething || memberMs > kafkaLimits.sessionTimeoutMs;
    this.resolveEnded({ cause, error, gotSomewhere });
  }

  /**
   * On every assignment, and whenever the log may be another one: where the database stands, whether the log still has it,
   * and a seek to just before it.
   */
  private begin(partitions: readonly number[]): void {
    this.sign();
    this.joinedAt ??= performance.now();
    this.assignment.over = true;
    if (this.abort.signal.aborted) return;
    const assignment = new Assignment(this.subscriber.topic, partitions);
    this.assignment = assignment;
    for (const partition of this.uncommitted.keys()) {
      if (!partitions.includes(partition)) this.uncommitted.delete(partition);
    }
    this.takeSeats(assignment).catch((error: unknown) => this.end('seating-failed', error));
  }

  private async takeSeats(assignment: Assignment): Promise<void> {
    for (let attempt = 1; !assignment.over; attempt += 1) {
      try {
        const [found, positions] = await Promise.all([
          this.log.read(),
          Promise.all(assignment.partitions.map((partition) => this.subscriber.position(partition))),
        ]);
        if (assignment.over) return;
        assignment.takeSeats(found, positions);
        for (const partition of assignment.partitions) this.seek(assignment, partition);
        return;
      } catch (error) {
        if (attempt >= kafkaLimits.seatingsMax || isDataLost(error)) throw error;
        await pause(kafkaLimits.seatingPauseMs * attempt * (0.5 + Math.random()));
      }
    }
  }

  private seek(assignment: Assignment, partition: number): void {
    const offset = String(assignment.seekTo(partition));
    this.consumer.seek({ topic: this.physicalTopic, partition, offset });
  }

  private async eachBatch(payload: EachBatchPayload): Promise<void> {
    const assignment = this.assignment;
    if (assignment.over || this.stopping) return;
    const work = this.handle(payload, assignment);
    const settled = work.catch(() => undefined);
    this.inFlight.add(settled);
    try {
      await work;
    } catch (error) {
      if (!isRebalance(error)) return this.end('batch-failed', error);
      // Whatever else kafkajs has queued is not ours any more; it comes to a new assignment.
      assignment.over = true;
      throw error;
    } finally {
      this.inFlight.delete(settled);
    }
  }

  private async handle(payload: EachBatchPayload, assignment: Assignment): Promise<void> {
    const { batch } = payload;
    const records = batch.messages.map(toRecord);
    const first = records[0];
    if (first === undefined) return;
    // Not longer: returning lets kafkajs send its heartbeat and ask for the same offset again.
    if (!assignment.isSeated) await Promise.race([assignment.seated, pause(kafkaLimits.fetchWaitMs)]);
    // What was fetched from the group's offset before our seek is stale: the database's position decides.
    if (!assignment.isSeated || assignment.over || payload.isStale()) return;
    if (assignment.hasShrunk(batch.partition, BigInt(batch.highWatermark))) return this.begin(assignment.partitions);
    const arrival = assignment.arrival(batch.partition, first);
    if (arrival === 'strayed') return this.end('strayed');
    if (arrival === 'again') return this.seek(assignment, batch.partition);
    if (arrival === 'gap') assignment.refuseLoss(batch.partition, await this.log.read());
    assignment.confirm(batch.partition, first);
    await this.handleRecords(payload, assignment, records);
  }

  private async handleRecords(
    { batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload,
    assignment: Assignment,
    records: readonly ReceivedRecord[],
  ): Promise<void> {
    const { partition } = batch;
    const highWatermark = BigInt(batch.highWatermark);
    for (let from = 0; from < records.length; from += this.together.sizeMax) {
      const chunk = records.slice(from, from + this.together.sizeMax);
      await this.together.add({ topic: this.subscriber.topic, partition, records: chunk, highWatermark });
      if (assignment.over) return;
      this.handledSomething = true;
      const isLast = from + chunk.length >= records.length;
      const last = chunk.at(-1)!.offset;
      resolveOffset(String(last));
      // Behind the last record may stand markers of a transaction, which kafkajs passes over by itself.
      assignment.advance(partition, (isLast ? BigInt(batch.lastOffset()) : last) + 1n, highWatermark);
      this.uncommitted.set(partition, last + 1n);
      if (!isRunning() || isStale() || this.stopping) return;
      await heartbeat();
    }
  }

  private async handleTogether(batches: readonly RecordBatch[]): Promise<readonly void[]> {
    await this.subscriber.handle(batches, this.abort.signal);
    return batches.map(() => undefined);
  }

  /** The group's offsets follow the database, now and then: they only serve monitoring and a first guess. */
  private async commit(): Promise<void> {
    if (this.uncommitted.size === 0 || this.committing) return;
    this.committing = true;
    const offsets = [...this.uncommitted].map(([partition, offset]) => ({
      topic: this.physicalTopic,
      partition,
      offset: String(offset),
    }));
    this.uncommitted.clear();
    try {
      await this.consumer.commitOffsets(offsets);
    } catch (error) {
      if (!isRebalance(error)) this.end('commit-failed', error);
    } finally {
      this.committing = false;
    }
  }
}

const isDataLost = (error: unknown): boolean => error instanceof CodedError && error.code === 'log_data_lost';
