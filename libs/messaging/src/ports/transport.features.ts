// The behaviour suite of the transport: what holds over the broker in memory holds over Kafka. Imported by specs only.
import { eventually } from '@compasso/testing';
import type { OutgoingRecord, Position, RecordBatch, Subscriber, Transport } from './transport.ts';

export interface TransportWorld {
  /** A topic of twelve partitions that nobody else uses. */
  readonly topic: string;
  /** Another process's transport to the same broker. */
  connect(): Transport;
}

const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const recordFor = (topic: string, n: number, partition = n % 3): OutgoingRecord => ({
  topic,
  partition,
  key: `key-${partition}`,
  value: `value-${n}`,
  headers: { ce_id: idOf(n), mark: `é-${n}` },
});

const recordsFor = (topic: string, count: number): OutgoingRecord[] =>
  Array.from({ length: count }, (_, n) => recordFor(topic, n));

/** A subscriber whose database is a map; it moves only when a batch was handled. */
class Reader implements Subscriber {
  readonly group: string;
  readonly topic: string;
  readonly positions: Map<number, Position>;
  readonly values: string[] = [];
  readonly batches: RecordBatch[] = [];
  readonly polls: (readonly RecordBatch[])[] = [];
  failures: number;

  constructor(topic: string, group: string, positions = new Map<number, Position>(), failures = 0) {
    this.topic = topic;
    this.group = group;
    this.positions = positions;
    this.failures = failures;
  }

  async position(partition: number): Promise<Position | undefined> {
    return this.positions.get(partition);
  }

  async handle(batches: readonly RecordBatch[]): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new TypeError('the database is away');
    }
    this.polls.push(batches);
    for (const batch of batches) this.take(batch);
  }

  private take(batch: RecordBatch): void {
    const next = this.positions.get(batch.partition)?.nextOffset ?? 0n;
    const fresh = batch.records.filter((record) => record.offset >= next);
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.batches.push(batch);
    this.values.push(...fresh.map((record) => Buffer.from(record.value!).toString()));
    const lastId = Buffer.from(last.headers['ce_id'] as Uint8Array).toString();
    this.positions.set(batch.partition, { nextOffset: last.offset + 1n, lastId });
  }
}

const groupOf = (topic: string): string => `reader-of-${topic}`;

/** A reader that has read so many records, of the three partitions alike. */
async function afterReading(count: number, open: () => Promise<TransportWorld>): Promise<Reader> {
  const { topic, connect } = await open();
  const transport = connect();
  await transport.publish(recordsFor(topic, count));
  const reader = new Reader(topic, groupOf(topic));
  await transport.subscribe(reader);
  await eventually(() => reader.values.length === count, { because: `all ${count} records are read` });
  return reader;
}

export function describeTransport(name: string, open: () => Promise<TransportWorld>): void {
  describe(`transport: ${name}`, () => {
    deliveryFeatures(open);
    positionFeatures(open);
    membershipFeatures(open);
  });
}

function deliveryFeatures(open: () => Promise<TransportWorld>): void {
  it('delivers every record with key and headers, in order per partition', async () => {
    const reader = await afterReading(30, open);
    for (const partition of [0, 1, 2]) {
      const own = reader.values.filter((value) => Number(value.split('-')[1]) % 3 === partition);
      expect(own).toEqual(Array.from({ length: 10 }, (_, n) => `value-${n * 3 + partition}`));
    }
    const first = reader.batches[0]!.records[0]!;
    expect(Buffer.from(first.key!).toString()).toMatch(/^key-\d$/);
    expect(Buffer.from(first.headers['mark'] as Uint8Array).toString()).toMatch(/^é-\d+$/);
  });

  it('hands over together what a poll brings of several partitions', async () => {
    const reader = await afterReading(30, open);
    const partitions = reader.polls.map((poll) => poll.map(({ partition }) => partition));
    expect(partitions.some((some) => some.length > 1)).toBe(true);
    expect(partitions.every((some) => new Set(some).size === some.length)).toBe(true);
  });

  it('brings a batch again whose handling failed, with nothing skipped', async () => {
    const { topic, connect } = await open();
    const transport = connect();
    await transport.publish(recordsFor(topic, 9));
    const reader = new Reader(topic, groupOf(topic), new Map(), 2);
    await transport.subscribe(reader);
    await eventually(() => reader.values.length === 9, { because: 'all records are read after two failures' });
    expect(new Set(reader.values).size).toBe(9);
  });

  it('reads a whole topic up to its end, outside any group', async () => {
    const { topic, connect } = await open();
    const transport = connect();
    await transport.publish(recordsFor(topic, 24));
    const values: string[] = [];
    await transport.readAll(topic, async ({ records }) => {
      values.push(...records.map((record) => Buffer.from(record.value!).toString()));
    });
    expect(values.sort()).toEqual(recordsFor(topic, 24).map(({ value }) => value).sort());
    const offsets = await transport.offsets(topic);
    expect(offsets.reduce((sum, one) => sum + one.next - one.first, 0n)).toBe(24n);
  });

  it('reads an empty topic to its end at once', async () => {
    const { topic, connect } = await open();
    const batches: RecordBatch[] = [];
    await connect().readAll(topic, async (batch) => void batches.push(batch));
    expect(batches).toEqual([]);
  });
}

function positionFeatures(open: () => Promise<TransportWorld>): void {
  it('goes on where the database stands, whatever the group has committed', async () => {
    const { topic, connect } = await open();
    const first = connect();
    await first.publish(recordsFor(topic, 12));
    const reader = new Reader(topic, groupOf(topic));
    await first.subscribe(reader);
    await eventually(() => reader.values.length === 12, { because: 'the first reader is done' });
    await first.close();
    // The database goes back by two records of partition 0; the group's own offset does not.
    const behind = new Map(reader.positions);
    behind.set(0, { nextOffset: 2n, lastId: idOf(3) });
    const again = new Reader(topic, groupOf(topic), behind);
    await connect().subscribe(again);
    await eventually(() => again.values.length === 2, { because: 'partition 0 is read again from offset 2' });
    expect(again.values).toEqual(['value-6', 'value-9']);
  });

  it.each([
    ['ends before the position', { nextOffset: 99n, lastId: null }],
    ['holds another record where we read last', { nextOffset: 2n, lastId: idOf(4711) }],
  ])('stops and says so when the log %s', async (_, position) => {
    const { topic, connect } = await open();
    const transport = connect();
    await transport.publish(recordsFor(topic, 12));
    const reader = new Reader(topic, groupOf(topic), new Map([[0, position]]));
    const subscription = await transport.subscribe(reader);
    await eventually(() => subscription.health().detail === 'log_data_lost', { because: 'the loss is noticed' });
    expect(subscription.health().ok).toBe(false);
    expect(reader.positions.get(0)).toEqual(position);
  });
}

function membershipFeatures(open: () => Promise<TransportWorld>): void {
  it('gives the partitions of a member that leaves to the one that stays', async () => {
    const { topic, connect } = await open();
    const positions = new Map<number, Position>();
    const [leaving, staying] = [connect(), connect()];
    const readers = [leaving, staying].map(() => new Reader(topic, groupOf(topic), positions));
    const first = await leaving.subscribe(readers[0]!);
    await staying.subscribe(readers[1]!);
    await staying.publish(recordsFor(topic, 6));
    const all = (): string[] => readers.flatMap((reader) => reader.values);
    await eventually(() => new Set(all()).size === 6, { because: 'both together read what was there' });
    await first.stop();
    await staying.publish(Array.from({ length: 6 }, (_, n) => recordFor(topic, 100 + n, n)));
    await eventually(() => new Set(all()).size === 12, { because: 'the member that stays reads the rest' });
    expect(readers[1]!.values).toEqual(expect.arrayContaining(['value-100', 'value-105']));
  });

  it('finishes the batch at hand before it stops', async () => {
    const { topic, connect } = await open();
    const transport = connect();
    let release: () => void = () => undefined;
    const entered = new Promise<void>((resolve) => (release = resolve));
    let finish: () => void = () => undefined;
    const mayFinish = new Promise<void>((resolve) => (finish = resolve));
    let finished = false;
    const subscription = await transport.subscribe({
      group: groupOf(topic),
      topic,
      position: async () => undefined,
      handle: async () => {
        release();
        await mayFinish;
        finished = true;
      },
    });
    await transport.publish([recordFor(topic, 1)]);
    await entered;
    const stopped = subscription.stop();
    finish();
    await stopped;
    expect(finished).toBe(true);
  });
}
