import { ledgerEvents } from '@compasso/contracts';
import { sqlMigration } from '@compasso/postgres';
import { createTopics, eventually, privateDatabase, privatePrefix, testBrokers } from '@compasso/testing';
import { messagingMigrations } from '../postgres/migrations.ts';
import { PostgresUnitOfWork } from '../postgres/postgres-unit-of-work.ts';
import { Load, type Replica, startReplica } from '../shell/replica.fixture.ts';
import { tallySql, tallyTable, tallyTopics } from '../shell/tally.fixture.ts';

const stormMs = 20_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('a storm of rebalances', () => {
  it('has one effect per message, ends no process and loses no generation', async () => {
    const topicPrefix = privatePrefix();
    const [database] = await Promise.all([
      privateDatabase([...messagingMigrations, sqlMigration(1764500000009, 'Tally', tallySql)]),
      createTopics(topicPrefix, [...tallyTopics, ledgerEvents]),
    ]);
    closing.push(() => database.drop());
    const unitOfWork = new PostgresUnitOfWork(database.hot);
    const place = { brokers: testBrokers(), topicPrefix, unitOfWork };
    const steady = await startReplica(place);
    closing.push(() => steady.stop());
    const load = new Load(place.brokers, topicPrefix, 20);
    closing.push(() => load.abandon());
    const visitors: Replica[] = [];
    const until = performance.now() + stormMs;
    while (performance.now() < until) {
      const visitor = await startReplica(place);
      visitors.push(visitor);
      await eventually(() => visitor.subscriptions.every((one) => one.health().ok), { because: 'the visitor has joined' });
      await visitor.stop();
    }
    await load.stop();
    const published = load.acknowledged.length;
    const rows = await eventually(
      async () => {
        const tallies = await unitOfWork.run((t) => t.oldest(tallyTable, { column: 'transferId', limit: 1_000_000 }));
        return tallies.length === published ? tallies : undefined;
      },
      { because: `all ${published} messages have their effect`, withinMs: 60_000 },
    );
    expect(rows.filter(({ count }) => count !== 1)).toEqual([]);
    expect(visitors.length).toBeGreaterThan(2);
    const all = [steady, ...visitors];
    expect(all.flatMap(({ fatal }) => fatal)).toEqual([]);
    expect(all.flatMap(({ lostGenerations }) => lostGenerations)).toEqual([]);
  });
});
