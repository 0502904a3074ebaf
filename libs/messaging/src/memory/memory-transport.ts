// A broker in memory: topics are arrays, groups share partitions, a failed batch comes again. Passes the same suite as Kafka.
import { partitionCount } from '@compasso/contracts';
import { CodedError, instantOf } from '@compasso/kernel';
import { confirmSeat, takeSeat } from '../kafka/seat.ts';
import type {
  OutgoingRecord,
  PartitionOffsets,
  ReceivedRecord,
  RecordBatch,
  Subscriber,
  Subscription,
  SubscriptionHealth,
  Transport,
} from '../ports/transport.ts';

/** Shared by the transports of all services of one world. */
export class MemoryBroker {
  private readonly logs = new Map<string, ReceivedRecord[][]>();
  private readonly groups = new Map<string, MemorySubscription[]>();
  readonly now: () => number;

  constructor(now: () => number = () => Date.now()) {
    this.now = now;
  }

  log(topic: string): ReceivedRecord[][] {
    const known = this.logs.get(topic);
    if (known !== undefined) return known;
    const made = Array.from({ length: partitionCount }, (): ReceivedRecord[] => []);
    this.logs.set(topic, made);
    return made;
  }

  append({ topic, partition, key, value, headers }: OutgoingRecord): void {
    const log = this.log(topic)[partition];
    if (log === undefined) throw new CodedError('partition_unknown', 'No such partition.', { topic, partition });
    log.push({
      offset: BigInt(log.length),
      timestamp: instantOf(this.now()),
      key: Buffer.from(key),
      value: Buffer.from(value),
      headers,
    });
    for (const member of this.members(topic)) member.poke();
  }

  join(subscription: MemorySubscription): void {
    const group = this.groups.get(subscription.name) ?? [];
    this.groups.set(subscription.name, group);
    group.push(subscription);
    this.rebalance(subscription.name);
  }

  leave(subscription: MemorySubscription): void {
    const rest = (this.groups.get(subscription.name) ?? []).filter((member) => member !== subscription);
    this.groups.set(subscription.name, rest);
    this.rebalance(subscription.name);
  }

  private rebalance(name: string): void {
    const members = this.groups.get(name) ?? [];
    members.forEach((member, at) => {
      const own = Array.from({ length: partitionCount }, (_, partition) => partition);
      member.assign(own.filter((partition) => partition % members.length === at));
    });
  }

  private members(topic: string): MemorySubscription[] {
    return [...this.groups.values()].flat().filter((member) => member.topic === topic);
  }
}

export class MemoryTransport implements Transport {
  private readonly broker: MemoryBroker;
  private readonly subscriptions: MemorySubscription[] = [];

  constructor(broker: MemoryBroker) {
    this.broker = broker;
  }

  async subscribe(subscriber: Subscriber): Promise<Subscription> {
    const subscription = new MemorySubscription(this.broker, subscriber);
    this.subscriptions.push(subscription);
    this.broker.join(subscription);
    return subscription;
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    for (const record of records) this.broker.append(record);
  }

  async offsets(topic: string): Promise<readonly PartitionOffsets[]> {
    return this.broker.log(topic).map((log, partition) => ({ partition, first: 0n, next: BigInt(log.length) }));
  }

  async readAll(topic: string, onBatch: (batch: RecordBatch) => Promise<void>): Promise<void> {
    for (const [partition, log] of this.broker.log(topic).entries()) {
      const records = [...log];
      const highWatermark = BigInt(records.length);
      if (records.length > 0) await onBatch({ topic, partition, records, highWatermark });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
  }
}

class MemorySubscription implements Subscription {
  readonly name: string;
  readonly topic: string;
  private readonly broker: MemoryBroker;
  private readonly subscriber: Subscriber;
  private assigned: readonly number[] = [];
  private nextOffsets = new Map<number, bigint>();
  private generation = new AbortController();
  private turn: Promise<void> = Promise.resolve();
  private stopped = false;
  private lost: CodedError | undefined;

  constructor(broker: MemoryBroker, subscriber: Subscriber) {
    this.broker = broker;
    this.subscriber = subscriber;
    this.name = `${subscriber.group}\u0000${subscriber.topic}`;
    this.topic = subscriber.topic;
  }

  assign(partitions: readonly number[]): void {
    this.assigned = partitions;
    this.nextOffsets = new Map();
    this.poke();
  }

  poke(): void {
    if (!this.stopped) this.turn = this.turn.then(() => this.drain());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.turn;
    this.broker.leave(this);
    this.generation.abort();
  }

  health(): SubscriptionHealth {
    const lag = this.assigned.reduce((sum, partition) => {
      const next = this.nextOffsets.get(partition) ?? 0n;
      return sum + BigInt(this.broker.log(this.topic)[partition]!.length) - next;
    }, 0n);
    const detail = this.lost?.code ?? 'in memory';
    return { ok: this.lost === undefined, detail, lag, partitions: this.assigned.length, silenceMs: 0 };
  }

  private async drain(): Promise<void> {
    if (this.stopped || this.lost !== undefined) return;
    try {
      await this.readOn();
    } catch (error) {
      this.endGeneration(error);
    }
  }

  private async readOn(): Promise<void> {
    const batches: RecordBatch[] = [];
    for (const partition of this.assigned) {
      const log = this.broker.log(this.topic)[partition]!;
      const from = this.nextOffsets.get(partition) ?? (await this.seat(partition, log));
      const records = log.slice(Number(from));
      const highWatermark = BigInt(log.length);
      if (records.length > 0) batches.push({ topic: this.topic, partition, records, highWatermark });
    }
    if (batches.length === 0) return;
    await this.subscriber.handle(batches, this.generation.signal);
    for (const { partition, records } of batches) this.nextOffsets.set(partition, records.at(-1)!.offset + 1n);
  }

  private async seat(partition: number, log: readonly ReceivedRecord[]): Promise<bigint> {
    const position = await this.subscriber.position(partition);
    const seat = takeSeat(this.topic, { partition, first: 0n, next: BigInt(log.length) }, position);
    const before = log[Number(seat.nextOffset) - 1];
    if (before !== undefined) confirmSeat(this.topic, partition, seat, before);
    this.nextOffsets.set(partition, seat.nextOffset);
    return seat.nextOffset;
  }

  /** What is not committed comes again, to a new generation. */
  private endGeneration(error: unknown): void {
    this.generation.abort();
    this.generation = new AbortController();
    this.nextOffsets = new Map();
    if (error instanceof CodedError && error.code === 'log_data_lost') this.lost = error;
    else setImmediate(() => this.poke());
  }
}
