import { ledgerEvents } from '@compasso/contracts';
import { MemoryBroker, PostgresUnitOfWork } from '@compasso/messaging';
import { type PrivateDatabase, privateDatabase } from '@compasso/testing';
import { trackerOver, trackerWorld } from '../tracker-world.fixture.ts';
import { happyPath, transfer } from '../transfer-messages.fixture.ts';
import { trackerMigrations } from './migrations.ts';
import { SagaStatistics } from './saga-statistics.ts';
import { TransferQueries } from './transfer-queries.ts';

const opened: PrivateDatabase[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.drop()));
});

async function setup() {
  const database = await privateDatabase(trackerMigrations);
  opened.push(database);
  const broker = new MemoryBroker();
  const tracker = trackerOver(new PostgresUnitOfWork(database.hot), broker);
  const queries = new TransferQueries(database.reads);
  const count = async (table: string): Promise<number> => {
    const [row] = await database.reads.query<{ n: number }[]>(
      `select count(*)::int as n from ${table}`,
    );
    return row!.n;
  };
  return { database, broker, tracker, queries, count };
}

const codeOf = async (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: { readonly code?: string; readonly constraint?: string }) =>
      error.constraint ?? error.code,
  );

it('folds on Postgres what it folds in memory', async () => {
  const { tracker, queries } = await setup();
  const one = transfer();
  const messages = happyPath(one);
  await tracker.receive(...messages);
  const memory = await trackerWorld();
  await memory.receive(...messages);
  const { updatedAt: _u, startedAt, endedAt, saga, ...row } = (await queries.transfer(one.transferId))!;
  expect(memory.view(one.transferId)).toMatchObject(row);
  expect(endedAt).toBeGreaterThanOrEqual(startedAt);
  expect(saga).toContain(messages[0]!.headers['ce_id']);
});

it('loses nothing when all topics are read at once', async () => {
  const { tracker, broker, database, count } = await setup();
  const other = trackerOver(new PostgresUnitOfWork(database.hot), broker);
  const transfers = Array.from({ length: 60 }, () => transfer());
  const stories = transfers.map(happyPath);
  for (const step of [0, 1, 2, 3, 4, 5]) {
    await tracker.publish(...stories.map((story) => story[step]!));
    // Two consumers of every topic: one position fences the other, nobody's work is lost or done twice.
    await Promise.all([tracker.consumeAll(), other.consumeAll()]);
  }
  expect(await count('event')).toBe(360);
  const rows = await database.reads.query<object[]>(
    `select distinct state, version, ledger_word, gateway_word, attention from transfer_view`,
  );
  expect(rows).toEqual([
    {
      state: 'completed',
      version: 6,
      ledger_word: 'settled',
      gateway_word: 'confirmed',
      attention: 'none',
    },
  ]);
  expect(await count('transfer_view')).toBe(60);
});

it('numbers what it publishes without gaps, whoever publishes', async () => {
  const { tracker, database } = await setup();
  const transfers = Array.from({ length: 20 }, () => transfer());
  const stories = transfers.map(happyPath);
  for (const step of [0, 1, 2, 3, 4, 5]) {
    await tracker.publish(...stories.map((story) => story[step]!));
    await Promise.all([tracker.consumeAll(), tracker.judge()]);
  }
  const rows = await database.reads.query<{ subject: string; sequences: number[] }[]>(
    `select subject, array_agg(sequence order by sequence) as sequences from event_log group by subject`,
  );
  expect(rows).toHaveLength(20);
  for (const { sequences } of rows) expect(sequences).toEqual(sequences.map((_, at) => at + 1));
});

it('tells how far it has read, and judges as of that', async () => {
  const { tracker, queries, database } = await setup();
  const one = transfer();
  // The messages say "send before 12:15 of that day", which may lie ahead of this clock: the row is moved to the past.
  await tracker.receive(one.reserved(1), one.authorized(2));
  const before = await queries.progress();
  expect(before.ofAll()).toBeNull();
  await database.reads.query(
    `update transfer_view set look_at = now() - interval '1 hour',
       saga = replace(saga, (extract(epoch from due_at) * 1000)::bigint::text, '1000')`,
  );
  await tracker.judge();
  expect(await queries.transfer(one.transferId)).toMatchObject({ attention: 'stuck', lookAt: null });
  expect((await queries.progress()).ofAll()).toBeGreaterThan(0);
  const open = await new SagaStatistics(database.reads).openSagas();
  expect([...open.byAttention]).toEqual([['stuck', 1]]);
  expect([...open.byState]).toEqual([['funds_reserved', 1]]);
});

it('refuses in the database what the code asserts', async () => {
  const { tracker, database } = await setup();
  await tracker.receive(transfer().reserved(1));
  const sql = (text: string): Promise<unknown> => database.reads.query(text);
  expect(await codeOf(sql(`update event set type = 'x'`))).toBe('CM001');
  expect(await codeOf(sql(`delete from event`))).toBe('CM001');
  const change = (set: string) => codeOf(sql(`update transfer_view set ${set}`));
  expect(await change(`state = 'done'`)).toBe('state_known');
  expect(await change(`version = 0`)).toBe('version_positive');
  expect(await change(`state = 'completed'`)).toBe('ended_when_terminal');
  expect(await codeOf(sql(`update projection set building = current`))).toBe('building_is_newer');
});

it('passes over a batch that another replica has read', async () => {
  const { tracker, broker, database, count } = await setup();
  await tracker.publish(transfer().reserved(1));
  const other = trackerOver(new PostgresUnitOfWork(database.hot), broker);
  await Promise.all([tracker.consume(ledgerEvents), other.consume(ledgerEvents)]);
  expect([await count('event'), await count('event_log')]).toEqual([1, 1]);
});
