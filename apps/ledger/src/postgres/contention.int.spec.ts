// Many at once on the same money: over HTTP, over topics, over both.
import { payoutEvents } from '@compasso/contracts';
import { uuidv7 } from 'uuidv7';
import { type Answer, type LedgerHttp, ledgerHttp, transferTo } from '../http/ledger-http.story.ts';
import { confirmed, rejected, requested, requests } from '../kafka/ledger-world.story.ts';
import { partitionBatch } from '../kafka/batches.story.ts';
import { BooksQueries } from './books-queries.ts';

let ledger: LedgerHttp;
beforeEach(async () => (ledger = await ledgerHttp()));
afterEach(() => ledger.close());

const balancesOf = async (accountId: string) =>
  (await ledger.get(`/v1/accounts/${accountId}`)).body;
const pay = (accountId: string, changes: object = {}): Promise<Answer> =>
  ledger.post('/v1/transfers', { key: uuidv7(), body: transferTo(accountId, changes) });

async function expectSoundBooks(): Promise<void> {
  const { violations, sumCents } = await new BooksQueries(ledger.database.reads).books();
  expect(violations).toEqual([]);
  expect(sumCents).toBe(0);
  const { rows } = await ledger.database.hot.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(rows[0]!.deadlocks).toBe(0n);
}

it('200 parallel transfers on money for 50 make exactly 50 holds (E-01)', async () => {
  const accountId = await ledger.openAccount(50_000);
  const answers = await Promise.all(Array.from({ length: 200 }, () => pay(accountId)));
  const codes = answers.map(({ status, body }) => `${status} ${body['code'] ?? body['state']}`);
  expect([...new Set(codes)].sort()).toEqual(['202 accepted', '422 insufficient_funds']);
  expect(codes.filter((code) => code === '202 accepted')).toHaveLength(50);
  expect(codes.filter((code) => code === '422 insufficient_funds')).toHaveLength(150);
  expect(await balancesOf(accountId)).toMatchObject({ availableCents: 0, heldCents: 50_000 });
  await expectSoundBooks();
});

it('limits hold under parallel requests too', async () => {
  const accountId = await ledger.openAccount(100_000, { dayCents: 10_000, nightCents: 10_000 });
  const answers = await Promise.all(Array.from({ length: 40 }, () => pay(accountId)));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
  await expectSoundBooks();
});

it('both doors draw on the same money', async () => {
  const accountId = await ledger.openAccount(50_000);
  const receive = partitionBatch(ledger.shell, requests.name);
  const overTopic = Array.from({ length: 60 }, () =>
    requested({ transferId: uuidv7(), accountId }),
  );
  await Promise.all([receive(...overTopic), ...Array.from({ length: 60 }, () => pay(accountId))]);
  expect(await balancesOf(accountId)).toMatchObject({ availableCents: 0, heldCents: 50_000 });
  const { counts } = await new BooksQueries(ledger.database.reads).books();
  expect(counts.transfers).toMatchObject({ authorized: 50, refused: 70 });
  await expectSoundBooks();
});

it('the same transfer id through both doors is one transfer, and the other is told', async () => {
  const accountId = await ledger.openAccount();
  const transferId = uuidv7();
  const receive = partitionBatch(ledger.shell, requests.name);
  const [answer] = await Promise.all([
    ledger.post('/v1/transfers', { key: transferId, body: transferTo(accountId) }),
    receive(requested({ transferId, accountId })),
  ]);
  const { rows } = await ledger.database.hot.query<{ type: string }>(
    `select type from event_log where type like '%command-refused%'`,
  );
  expect([answer.status === 202, rows.length]).toEqual(
    answer.status === 202 ? [true, 1] : [false, 0],
  );
  expect(await balancesOf(accountId)).toMatchObject({ heldCents: 1_000 });
  await expectSoundBooks();
});

it('requests, settlements and releases of many accounts never lock each other up (E-02, H31)', async () => {
  const accounts = await Promise.all(
    Array.from({ length: 6 }, () => ledger.openAccount(1_000_000)),
  );
  const receive = partitionBatch(ledger.shell, payoutEvents.name);
  const ask = partitionBatch(ledger.shell, requests.name);
  const round = async () => {
    const asked = accounts.flatMap((accountId) =>
      Array.from({ length: 5 }, () => ({ transferId: uuidv7(), accountId })),
    );
    await Promise.all([
      ask(...asked.map((one) => requested(one))),
      ...accounts.map((accountId) => pay(accountId)),
    ]);
    const proofs = asked.map((one, at) => (at % 2 === 0 ? confirmed(one) : rejected(one)));
    await Promise.all([
      receive(...proofs),
      ...accounts.toReversed().map((accountId) => pay(accountId)),
    ]);
  };
  for (let n = 0; n < 4; n += 1) await round();
  await expectSoundBooks();
  const { counts } = await new BooksQueries(ledger.database.reads).books();
  expect(counts.transfers).toMatchObject({ authorized: 48, settled: 60, released: 60 });
});
