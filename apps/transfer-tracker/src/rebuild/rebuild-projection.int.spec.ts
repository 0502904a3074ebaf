import {
  ledgerEvents,
  sourceOfService,
  transferStatus,
  transferStatusChangedV1,
} from '@compasso/contracts';
import {
  makeExecutor,
  MemoryBroker,
  PostgresUnitOfWork,
  type RecordBatch,
  type Transport,
} from '@compasso/messaging';
import { type PrivateDatabase, privateDatabase } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import { trackedTopics } from '../kafka/reactions.ts';
import { trackerMigrations } from '../postgres/migrations.ts';
import { RebuildStore } from '../postgres/rebuild-store.ts';
import { TransferQueries } from '../postgres/transfer-queries.ts';
import { trackerOver } from '../tracker-world.fixture.ts';
import {
  happyPath,
  type Message,
  messageOf,
  payerAccount,
  team,
  transfer,
} from '../transfer-messages.fixture.ts';
import { beginBuilding } from './projections.ts';
import { rebuildProjection } from './rebuild-projection.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type ReadAll = Transport['readAll'];

async function setup(broker = new MemoryBroker()) {
  const database: PrivateDatabase = await privateDatabase(trackerMigrations);
  closing.push(() => database.drop());
  const store = await RebuildStore.connect(database.url);
  closing.push(() => store.close());
  const unitOfWork = new PostgresUnitOfWork(database.hot);
  const tracker = trackerOver(unitOfWork, broker);
  const executor = makeExecutor({
    unitOfWork,
    staging: {
      source: sourceOfService('transfer-tracker'),
      newId: uuidv7,
      topicOf: () => transferStatus,
    },
    pauseBeforeRetry: async () => undefined,
    wake: () => undefined,
  });
  const query = <Row>(sql: string): Promise<Row[]> => database.reads.query<Row[]>(sql);
  return {
    tracker,
    executor,
    query,
    queries: new TransferQueries(database.reads),
    rebuild: (readAll: ReadAll = (topic, onBatch) => tracker.transport.readAll(topic, onBatch)) =>
      rebuildProjection({
        executor,
        store,
        transport: { readAll },
        topics: trackedTopics([team]),
        rules: tracker.rules,
        tell: () => undefined,
      }),
    /** What the public was told, in order. */
    async told() {
      const rows = await query<{ subject: string; sequence: number; data: string }>(
        `select subject, sequence, data from event_log order by event_id`,
      );
      return rows.map(({ data, ...row }) => ({
        ...row,
        ...(JSON.parse(data) as { projection: number; version: number; state: string }),
      }));
    },
  };
}

const views = `select transfer_id, state, money, certainty, version, ledger_sequence, gateway_sequence,
  status_sequence, flags, traceparent, saga from transfer_view v join projection p on v.projection = p.current
  order by transfer_id`;

/** Of as many accounts, so that all partitions have something. */
const stories = (count: number): (readonly Message[])[] =>
  Array.from({ length: count }, () => happyPath(transfer(uuidv7(), uuidv7())));

it('shows the same views under a higher number, and tells nobody', async () => {
  const { tracker, rebuild, query, told } = await setup();
  await tracker.publish(...stories(10).flat());
  await tracker.consumeAll();
  const before = await query(views);
  const toldBefore = await told();
  const report = await rebuild();
  expect(report).toMatchObject({
    projection: 2,
    recordsRead: 60,
    eventsFromStore: 0,
    comparison: { same: 10, differing: 0, onlyShown: 0, onlyBuilt: 0, examples: [] },
    republished: 0,
  });
  expect(await query(views)).toEqual(before);
  expect(await told()).toEqual(toldBefore);
});

it('ends right while events arrive', async () => {
  const { tracker, rebuild, query, told } = await setup();
  const all = stories(12);
  await tracker.publish(...all.flatMap((story) => story.slice(0, 2)));
  await tracker.consumeAll();
  let step = 2;
  const publishNext = (): Promise<void> => {
    step += 1;
    return tracker.publish(...all.map((story) => story[step - 1]!));
  };
  const report = await rebuild(async (topic, onBatch) => {
    await tracker.transport.readAll(topic, async (batch) => {
      // Between two batches of the rebuild live consumption goes on, and even finishes transfers.
      if (step < 5) await publishNext();
      const working = tracker.consumeAll();
      await onBatch(batch);
      await working;
    });
  });
  expect(report.comparison).toMatchObject({ same: 12, differing: 0, onlyShown: 0, onlyBuilt: 0 });
  await publishNext();
  await tracker.consumeAll();
  const rows = await query<{ state: string; version: number }>(views);
  expect(rows).toHaveLength(12);
  for (const row of rows) expect(row).toMatchObject({ state: 'completed', version: 6 });
  const last = new Map((await told()).map((one) => [one.subject, one]));
  for (const one of last.values()) {
    expect(one).toMatchObject({ state: 'completed', version: 6, projection: 2 });
  }
  expect(last.size).toBe(12);
});

it('goes on under the new number: a later event is folded and told once', async () => {
  const { tracker, rebuild, told } = await setup();
  const one = transfer();
  await tracker.receive(one.reserved(1), one.authorized(2));
  await rebuild();
  await tracker.receive(one.submitted(1));
  expect((await told()).map(({ projection, version, sequence }) => [projection, version, sequence])).toEqual([
    [1, 1, 1],
    [2, 3, 2],
  ]);
});

it('heals damaged and missing rows, and tells the public again what changed for it', async () => {
  const { tracker, rebuild, query, told } = await setup();
  const [damaged, missing, ...others] = Array.from({ length: 5 }, () => transfer());
  await tracker.publish(...[damaged!, missing!, ...others].flatMap(happyPath));
  await tracker.consumeAll();
  const before = await query(views);
  await query(`update transfer_view set state = 'submitted', money = 'held', ended_at = null
    where transfer_id = '${damaged!.transferId}'`);
  await query(`delete from transfer_view where transfer_id = '${missing!.transferId}'`);
  const report = await rebuild();
  expect(report.comparison).toMatchObject({ same: 3, differing: 1, onlyBuilt: 1 });
  expect([...report.comparison.examples].sort()).toEqual(
    [damaged!.transferId, missing!.transferId].sort(),
  );
  const words = ({ status_sequence: _, ...row }: Record<string, unknown>) => row;
  expect((await query<Record<string, unknown>>(views)).map(words)).toEqual(
    (before as Record<string, unknown>[]).map(words),
  );
  const again = (await told()).filter(({ projection }) => projection === 2);
  expect(again.map(({ subject }) => subject).sort()).toEqual([...report.comparison.examples].sort());
  for (const one of again) expect(one).toMatchObject({ state: 'completed', version: 6 });
  expect(again.find(({ subject }) => subject === damaged!.transferId)?.sequence).toBeGreaterThan(1);
});

it('keeps what the topics have forgotten: the store still has it', async () => {
  const old = await setup();
  const one = transfer();
  await old.tracker.receive(...happyPath(one));
  const forgetful = await old.rebuild(async () => undefined);
  expect(forgetful).toMatchObject({ recordsRead: 0, eventsFromStore: 6, comparison: { same: 1 } });
  expect(await old.queries.transfer(one.transferId)).toMatchObject({ state: 'completed' });
});

it('after its database was lost, shows more than the public has ever seen, and says it again', async () => {
  const broker = new MemoryBroker();
  const [one, two] = [transfer(), transfer()];
  const { tracker, rebuild, told, query } = await setup(broker);
  const feedOfBefore = messageOf(transferStatus, transferStatusChangedV1, {
    subject: one.transferId,
    key: one.transferId,
    sequence: 9,
    data: {
      accountId: payerAccount,
      state: 'submitted',
      money: 'held',
      certainty: 'in_progress',
      attention: 'none',
      projection: 7,
      version: 4,
      asOf: '2026-11-30T12:00:00Z',
    },
  });
  await tracker.publish(feedOfBefore, ...happyPath(one), ...happyPath(two));
  // Consumers start at 0 as well, and are not through when the rebuild begins.
  await tracker.consume(ledgerEvents);
  const report = await rebuild();
  expect(report).toMatchObject({ projection: 8, republished: 2 });
  const toldSoFar = (await told()).length;
  await tracker.consumeAll();
  expect(await told()).toHaveLength(toldSoFar);
  const rows = await query<{ version: number }>(views);
  expect(rows.map(({ version }) => version)).toEqual([6, 6]);
  const [count] = await query<{ n: number }>(`select count(*)::int as n from event`);
  expect(count?.n).toBe(12);
});

it('puts back cases that were lost, and leaves alone those that are there', async () => {
  const { tracker, rebuild, query } = await setup();
  const [one, two] = [transfer(), transfer()];
  const required = one.reviewRequired(1);
  await tracker.receive(required, two.reviewRequired(1));
  await tracker.receive(one.reviewClosed(2, required.headers['ce_id']!));
  const cases = `select case_id, state, closed_by, opened_at from review_case order by case_id`;
  const before = await query(cases);
  await query(`update review_case set closed_by = 'a person' where state = 'closed'`);
  await query(`delete from review_case where state = 'open'`);
  await rebuild();
  expect(await query(cases)).toEqual(
    (before as { state: string }[]).map((row) =>
      row.state === 'closed' ? { ...row, closed_by: 'a person' } : row,
    ),
  );
});

it('gives up cleanly when reading fails, and can be tried again', async () => {
  const { tracker, rebuild, query } = await setup();
  await tracker.receive(...happyPath(transfer()));
  const failing = rebuild(async (topic, onBatch) => {
    await tracker.transport.readAll(topic, onBatch);
    if (topic === ledgerEvents.name) throw new TypeError('the broker went away');
  });
  await expect(failing).rejects.toThrow('the broker went away');
  expect(await query(`select current, building from projection`)).toEqual([
    { current: 1, building: null },
  ]);
  expect(await rebuild()).toMatchObject({ projection: 2, comparison: { same: 1, onlyBuilt: 0 } });
  const [left] = await query<{ n: number }>(
    `select count(distinct projection)::int as n from transfer_view`,
  );
  expect(left?.n).toBe(2);
});

it('yields to a rebuild that begins later', async () => {
  const { tracker, executor, rebuild, query } = await setup();
  await tracker.receive(...happyPath(transfer()));
  let begun = false;
  const overtaken = rebuild(async (topic, onBatch: (batch: RecordBatch) => Promise<void>) => {
    if (!begun && topic !== transferStatus.name) {
      begun = true;
      await beginBuilding(executor, 0);
    }
    await tracker.transport.readAll(topic, onBatch);
  });
  await expect(overtaken).rejects.toMatchObject({ code: 'rebuild_superseded' });
  expect(await query(`select current, building from projection`)).toEqual([
    { current: 1, building: 3 },
  ]);
});
