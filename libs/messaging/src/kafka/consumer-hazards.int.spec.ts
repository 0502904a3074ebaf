// What a log, a group and a database can do to a consumer while it reads, on one real broker.
import { ledgerEvents } from '@compasso/contracts';
import { CodedError, invariant } from '@compasso/kernel';
import { createTopics, deleteTopics, eventually, privatePrefix, testBrokers } from '@compasso/testing';
import { type Admin, Kafka, logLevel, Partitioners } from 'kafkajs';
import { recordMark } from '../ports/record-mark.ts';
import type { OutgoingRecord, Position, RecordBatch, Subscriber } from '../ports/transport.ts';
import { quietLogger } from '../shell/replica.fixture.ts';
import { kafkaLimits } from './kafka-options.ts';
import { KafkaTransport } from './kafka-transport.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const name = 'letters';
const group = 'readers';
const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const wanted = { name, partitions: 1, config: { 'max.message.bytes': '1048576' } };

class Reader implements Subscriber {
  readonly group = group;
  readonly topic = name;
  readonly values: string[] = [];
  position_: Position | undefined;
  beforeHandling: (batch: RecordBatch) => Promise<void> = async () => undefined;
  beforePosition: () => Promise<void> = async () => undefined;

  async position(): Promise<Position | undefined> {
    await this.beforePosition();
    return this.position_;
  }

  async handle([batch]: readonly RecordBatch[]): Promise<void> {
    invariant(batch !== undefined, 'a poll that is handed over holds something');
    await this.beforeHandling(batch);
    const next = this.position_?.nextOffset ?? 0n;
    const fresh = batch.records.filter(({ offset }) => offset >= next);
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.values.push(...fresh.map(({ value }) => Buffer.from(value!).toString().trim()));
    this.position_ = { nextOffset: last.offset + 1n, lastId: recordMark(last) };
  }
}

async function world() {
  const topicPrefix = privatePrefix();
  await createTopics(topicPrefix, [{ ...ledgerEvents, ...wanted }]);
  const kafka = new Kafka({ brokers: [...testBrokers()], clientId: 'tests', logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  closing.push(() => admin.disconnect());
  const fatal: unknown[] = [];
  const connect = (): KafkaTransport => {
    const options = { brokers: testBrokers(), clientId: 'tests', topicPrefix, logger: quietLogger };
    const transport = new KafkaTransport(options, (error) => void fatal.push(error));
    closing.push(() => transport.close());
    return transport;
  };
  return { topicPrefix, topic: topicPrefix + name, kafka, admin, fatal, connect };
}

const records = (count: number, from = 0, padding = 0): OutgoingRecord[] =>
  Array.from({ length: count }, (_, n) => ({
    topic: name,
    partition: 0,
    key: 'key',
    value: `value-${from + n}`.padEnd(padding),
    headers: { ce_id: idOf(from + n) },
  }));

const members = async (admin: Admin, prefix: string): Promise<number> =>
  (await admin.describeGroups([prefix + group])).groups[0]!.members.length;

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('a consumer whose log loses data while it reads', () => {
  it('stops and says so when retention overtakes it', async () => {
    const { topic, admin, connect } = await world();
    const transport = connect();
    // More than one fetch can bring.
    for (const from of [0, 15, 30, 45]) await transport.publish(records(15, from, 60_000));
    const reader = new Reader();
    const first = gate();
    const overtaken = gate();
    reader.beforeHandling = async () => {
      first.open();
      await overtaken.opened;
    };
    const subscription = await transport.subscribe(reader);
    await first.opened;
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '58' }] });
    overtaken.open();
    await eventually(() => subscription.health().detail === 'log_data_lost', { because: 'the loss is noticed' });
    expect(reader.values).not.toContain('value-58');
  });

  it('stops and says so when its topic is re-created, shorter, then longer than it had read', async () => {
    const { topicPrefix, topic, connect } = await world();
    const transport = connect();
    await transport.publish(records(10));
    const reader = new Reader();
    const subscription = await transport.subscribe(reader);
    await eventually(() => reader.values.length === 10, { because: 'the first log is read' });
    await deleteTopics([topic]);
    await createTopics(topicPrefix, [{ ...ledgerEvents, ...wanted }]);
    await connect().publish(records(30, 100));
    await eventually(() => subscription.health().detail === 'log_data_lost', { because: 'the loss is noticed', withinMs: 60_000 });
    expect(reader.values).toHaveLength(10);
  });
});

describe('a consumer beside the transactions of others', () => {
  it('passes over their markers, and finds its place again after a restart', async () => {
    const { topic, kafka, connect } = await world();
    const producer = kafka.producer({
      transactionalId: topic,
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    closing.push(() => producer.disconnect());
    const commit = async (from: number, end: 'commit' | 'abort') => {
      const transaction = await producer.transaction();
      const messages = records(3, from).map(({ key, value, headers }) => ({ key, value, headers: { ...headers }, partition: 0 }));
      await transaction.send({ topic, messages });
      await transaction[end]();
    };
    await commit(0, 'commit');
    await commit(100, 'abort');
    await commit(3, 'commit');
    const reader = new Reader();
    const first = connect();
    const subscription = await first.subscribe(reader);
    await eventually(() => reader.values.length === 6, { because: 'two transactions are read' });
    await commit(200, 'abort');
    await subscription.stop();
    await commit(6, 'commit');
    const again = connect();
    await again.subscribe(reader);
    await eventually(() => reader.values.length === 9, { because: 'the third transaction is read' });
    expect(reader.values).toEqual(records(9).map(({ value }) => value));
    const all: string[] = [];
    await commit(300, 'abort');
    await again.readAll(name, async (batch) => void all.push(...batch.records.map(({ value }) => String(value))));
    expect(all).toEqual(reader.values);
  });
});

describe('a consumer that stops', () => {
  it('has told the group how far it came', async () => {
    const { topicPrefix, topic, admin, connect } = await world();
    const transport = connect();
    await transport.publish(records(5));
    const reader = new Reader();
    const subscription = await transport.subscribe(reader);
    await eventually(() => reader.values.length === 5, { because: 'five records are read' });
    await subscription.stop();
    const [offsets] = await admin.fetchOffsets({ groupId: topicPrefix + group, topics: [topic] });
    expect(offsets!.partitions).toEqual([expect.objectContaining({ partition: 0, offset: '5' })]);
  });

  it('tells the group so while it idles, too', async () => {
    const { topicPrefix, topic, admin, connect } = await world();
    const transport = connect();
    await transport.publish(records(5));
    await transport.subscribe(new Reader());
    await eventually(
      async () => (await admin.fetchOffsets({ groupId: topicPrefix + group, topics: [topic] }))[0]!.partitions[0]!.offset === '5',
      { because: 'the group knows the offset' },
    );
  });

  it.each([0, 50, 150, 400])('leaves no member behind when it is stopped %i ms after its start', async (delayMs) => {
    const { topicPrefix, admin, connect } = await world();
    const subscription = await connect().subscribe(new Reader());
    const since = performance.now();
    await eventually(() => performance.now() - since >= delayMs, { because: 'the moment has come' });
    await subscription.stop();
    await eventually(async () => (await members(admin, topicPrefix)) === 0, {
      because: 'the group is empty, long before its session would end',
      withinMs: kafkaLimits.sessionTimeoutMs / 2,
    });
    const since2 = performance.now();
    await eventually(() => performance.now() - since2 >= 1_000, { because: 'a zombie would have joined by now' });
    expect(await members(admin, topicPrefix)).toBe(0);
  });
});

describe('a consumer whose database is away', () => {
  const away = async (): Promise<never> => {
    throw new CodedError('temporarily_unavailable', 'The database is away.', {});
  };

  it('is not ready, ends no process however long it takes, and goes on afterwards', async () => {
    const { connect, fatal } = await world();
    const transport = connect();
    await transport.publish(records(5));
    const reader = new Reader();
    const subscription = await transport.subscribe(reader);
    await eventually(() => reader.values.length === 5, { because: 'it reads' });
    let refused = 0;
    reader.beforeHandling = () => ((refused += 1), away());
    reader.beforePosition = away;
    await transport.publish(records(5, 5));
    await eventually(() => refused > 0 && !subscription.health().ok, { because: 'it is not ready' });
    reader.beforePosition = async () => undefined;
    await eventually(() => refused > kafkaLimits.generationsMax, { because: 'many generations have met it', withinMs: 90_000 });
    reader.beforeHandling = async () => undefined;
    await eventually(() => reader.values.length === 10 && subscription.health().ok, { because: 'it goes on', withinMs: 60_000 });
    expect(fatal).toEqual([]);
  });
});

describe('a consumer that loses its generations', () => {
  it('ends the process at the fifth that had got somewhere', async () => {
    const { connect, fatal } = await world();
    const transport = connect();
    const reader = new Reader();
    let handled = 0;
    reader.beforeHandling = async () => {
      handled += 1;
      if (handled % 2 === 0) throw new TypeError('the broker has cut the connection');
    };
    const subscription = await transport.subscribe(reader);
    for (let round = 0; fatal.length === 0 && round < 40; round += 1) {
      await transport.publish(records(1, round));
      await eventually(() => fatal.length > 0 || reader.values.includes(`value-${round}`), { because: `record ${round} is read` });
    }
    expect(fatal).toEqual([expect.objectContaining({ code: 'generations_exhausted' })]);
    expect(handled).toBe(2 * kafkaLimits.generationsMax);
    await subscription.stop();
  });
});

describe('topics at the start', () => {
  const definition = { ...ledgerEvents, ...wanted, name: 'late' };

  it('are waited for, whatever else the cluster holds', async () => {
    const { topicPrefix, connect } = await world();
    await createTopics(privatePrefix(), [definition]);
    const ready = connect().awaitTopics([definition], AbortSignal.timeout(30_000));
    let isReady = false;
    void ready.then(() => (isReady = true));
    const reader = new Reader();
    await connect().subscribe({ ...reader, topic: 'late', position: () => reader.position(), handle: (batches) => reader.handle(batches) });
    const since = performance.now();
    await eventually(() => performance.now() - since > 1_500, { because: 'it has been asked a few times' });
    expect(isReady).toBe(false);
    await createTopics(topicPrefix, [definition]);
    await ready;
    await connect().publish(records(3).map((record) => ({ ...record, topic: 'late' })));
    await eventually(() => reader.values.length === 3, { because: 'the consumer that came before its topic reads it' });
  });

  it('must have the partitions of their definition', async () => {
    const { topicPrefix, connect } = await world();
    await createTopics(topicPrefix, [definition]);
    const waiting = connect().awaitTopics([{ ...definition, partitions: 12 }], AbortSignal.timeout(30_000));
    await expect(waiting).rejects.toMatchObject({ code: 'partition_count_differs', facts: { expected: 12, found: 1 } });
  });
});
