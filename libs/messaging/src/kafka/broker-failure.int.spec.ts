// Three brokers of its own: one is killed, or loses a partition, while two replicas of a service are under load.
import { ledgerEvents, partitionOf, type TopicDefinition } from '@compasso/contracts';
import { sqlMigration } from '@compasso/postgres';
import { eventually, privateDatabase, privatePrefix } from '@compasso/testing';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { type RunningCluster, startCluster } from '../../../../infra/kafka/cluster.ts';
import { messagingMigrations } from '../postgres/migrations.ts';
import { PostgresUnitOfWork } from '../postgres/postgres-unit-of-work.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { Load, payoutGroup, quietLogger, type Replica, startReplica } from '../shell/replica.fixture.ts';
import { outboxTable } from '../shell/tables.ts';
import { tallySql, tallyTable, tallyTopics } from '../shell/tally.fixture.ts';
import { KafkaTransport } from './kafka-transport.ts';

let cluster: RunningCluster;
let admin: Admin;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  cluster = await startCluster({ log: () => undefined });
}, 300_000);
/** For each test its own: kafkajs asks again about every topic that a client has ever asked about, and gives up at one without a leader. */
beforeEach(async () => {
  admin = new Kafka({ brokers: [...cluster.brokers], clientId: 'tests', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const connected = admin;
  closing.push(() => connected.disconnect());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(async () => {
  await cluster.stop();
}, 60_000);

const replicated = (replicas: readonly number[][], name: string) => ({
  topic: name,
  replicaAssignment: replicas.map((own, partition) => ({ partition, replicas: own })),
});

async function createReplicated(prefix: string, topics: readonly TopicDefinition[]): Promise<void> {
  await admin.createTopics({
    waitForLeaders: false,
    topics: topics.map(({ name, partitions }) => ({ topic: prefix + name, numPartitions: partitions, replicationFactor: 3 })),
  });
  for (const { name } of topics) {
    await eventually(async () => (await admin.fetchTopicOffsets(prefix + name)).length > 0, { because: `${name} is led` });
  }
}

const leaderOf = async (topic: string, partition: number): Promise<number> => {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]!.partitions.find(({ partitionId }) => partitionId === partition)!.leader;
};

/** Groups live where Java's hash of their name says. */
async function coordinatorOf(group: string): Promise<number> {
  const hash = [...group].reduce((sum, letter) => (Math.imul(31, sum) + letter.charCodeAt(0)) | 0, 0);
  const { topics } = await admin.fetchTopicMetadata({ topics: ['__consumer_offsets'] });
  return leaderOf('__consumer_offsets', (hash & 0x7fffffff) % topics[0]!.partitions.length);
}

/** A partition whose only replica in sync is killed stays without a leader until that broker is back: no client can help it. */
const wholeAgain = (names: readonly string[]): Promise<unknown> =>
  eventually(
    async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names, '__consumer_offsets'] });
      return topics.every(({ partitions }) => partitions.every(({ isr }) => isr.length === 3));
    },
    { because: 'all replicas are in sync', withinMs: 60_000 },
  );

it('is not told of success when a partition moves to a broker that has answered already', async () => {
  const topicPrefix = privatePrefix();
  const topic = `${topicPrefix}moving`;
  await admin.createTopics({ topics: [replicated([[1], [2]], topic)], waitForLeaders: false });
  await eventually(async () => (await admin.fetchTopicOffsets(topic)).length === 2, { because: 'both partitions are led' });
  const transport = new KafkaTransport({ brokers: cluster.brokers, clientId: 'moving', topicPrefix, logger: quietLogger }, () => undefined);
  closing.push(() => transport.close());
  const recordOf = (partition: number, value: string) => ({ topic: 'moving', partition, key: value, value, headers: {} });
  await transport.publish([recordOf(0, 'a'), recordOf(1, 'b')]);
  await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment: [{ partition: 0, replicas: [2] }] }] });
  await eventually(async () => (await leaderOf(topic, 0)) === 2, { because: 'the partition has moved' });
  const published = await transport.publish([recordOf(0, 'c'), recordOf(1, 'd')]).then(() => true, () => false);
  const nextOfMoved = async () => (await transport.offsets('moving')).find(({ partition }) => partition === 0)!.next;
  // Either it is there, or we were not told that it is.
  expect({ published, next: await nextOfMoved() }).not.toEqual({ published: true, next: 1n });
  await transport.publish([recordOf(0, 'c'), recordOf(1, 'd')]);
  expect(await nextOfMoved()).toBeGreaterThan(1n);
});

it('goes on where a topic of somebody else has lost its only replica', async () => {
  const topicPrefix = privatePrefix();
  const own = replicated([[1, 2], [1, 2]], `${topicPrefix}own`);
  await admin.createTopics({ topics: [own, replicated([[3]], `${topicPrefix}foreign`)], waitForLeaders: false });
  for (const name of ['own', 'foreign']) {
    await eventually(async () => (await admin.fetchTopicOffsets(topicPrefix + name)).length > 0, { because: `${name} is led` });
  }
  await cluster.node(3).kill('SIGKILL');
  closing.push(() => cluster.node(3).start());
  const brokers = cluster.brokers.slice(0, 2);
  const options = { brokers, clientId: 'own', topicPrefix, logger: quietLogger };
  const isLeaderless = async (): Promise<boolean> => {
    const looking = new Kafka({ brokers, clientId: 'tests', logLevel: logLevel.NOTHING, retry: { retries: 0 } }).admin();
    await looking.connect();
    try {
      const asked = looking.fetchTopicMetadata({ topics: [`${topicPrefix}foreign`] });
      return await asked.then(() => false, ({ message }: Error) => message.includes('There is no leader'));
    } finally {
      await looking.disconnect();
    }
  };
  await eventually(isLeaderless, { because: 'the foreign topic has no leader', withinMs: 30_000 });
  const transport = new KafkaTransport(options, () => undefined);
  closing.push(() => transport.close());
  await transport.awaitTopics([{ ...ledgerEvents, name: 'own', partitions: 2 }], AbortSignal.timeout(20_000));
  const record = { topic: 'own', partition: 0, key: 'a', value: 'a', headers: {} };
  await eventually(() => transport.publish([record]).then(() => true, () => false), { because: 'we can publish' });
});

it('loses nothing and does nothing twice when the coordinator of a group, then the leader of a partition is killed', async () => {
  const topicPrefix = privatePrefix();
  const topics = [...tallyTopics, ledgerEvents];
  const names = topics.map(({ name }) => topicPrefix + name);
  await createReplicated(topicPrefix, topics);
  const database = await privateDatabase([...messagingMigrations, sqlMigration(1764500000009, 'Tally', tallySql)]);
  closing.push(() => database.drop());
  const unitOfWork = new PostgresUnitOfWork(database.hot);
  const place = { brokers: cluster.brokers, topicPrefix, unitOfWork };
  const replicas = await Promise.all([startReplica(place), startReplica(place)]);
  closing.push(...replicas.map((replica) => () => replica.stop()));
  const load = new Load(place.brokers, topicPrefix, 20);
  closing.push(() => load.abandon());
  await progress(replicas, unitOfWork);

  await wholeAgain(names);
  const coordinator = await coordinatorOf(topicPrefix + payoutGroup);
  await cluster.node(coordinator).kill('SIGKILL');
  await progress(replicas, unitOfWork);
  await cluster.node(coordinator).start();
  const payoutTopic = topicPrefix + tallyTopics[0]!.name;
  await wholeAgain(names);
  const other = await leaderOf(payoutTopic, partitionOf(load.acknowledged[0]!.accountId));
  await cluster.node(other).kill('SIGKILL');
  await progress(replicas, unitOfWork);
  await load.stop();

  const published = load.acknowledged.length;
  const rows = await eventually(
    async () => {
      const tallies = await tallied(unitOfWork);
      return tallies.length >= published ? tallies : undefined;
    },
    { because: 'all messages have their effect', withinMs: 90_000 },
  );
  expect(rows.length).toBe(published);
  expect(rows.filter(({ count }) => count !== 1)).toEqual([]);
  expect(replicas.flatMap(({ fatal }) => fatal)).toEqual([]);
  await eventually(async () => (await unitOfWork.run((t) => t.oldest(outboxTable, { column: 'position', limit: 1 }))).length === 0, {
    because: 'the relays have published all events',
    withinMs: 60_000,
  });
  await cluster.node(other).start();
  expect((await settled(replicas[0]!)).size).toBe(published);
}, 400_000);

const tallied = (unitOfWork: UnitOfWork) =>
  unitOfWork.run((transaction) => transaction.oldest(tallyTable, { column: 'transferId', limit: 1_000_000 }));

/** More messages have their effect than a moment ago, and both replicas read. */
async function progress(replicas: readonly Replica[], unitOfWork: UnitOfWork): Promise<void> {
  const before = (await tallied(unitOfWork)).length;
  await eventually(async () => (await tallied(unitOfWork)).length > before + 100, { because: 'messages are handled', withinMs: 90_000 });
  await eventually(() => replicas.every(({ subscriptions }) => subscriptions.every((one) => one.health().ok)), {
    because: 'every replica reads again',
    withinMs: 90_000,
  });
}

/** Transfers of which an event left. */
async function settled({ transport }: Replica): Promise<ReadonlySet<string>> {
  const subjects = new Set<string>();
  await transport.readAll(ledgerEvents.name, async ({ records }) => {
    for (const { headers } of records) subjects.add(String(headers['ce_subject']));
  });
  return subjects;
}

