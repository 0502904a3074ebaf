// The behaviour suite of the unit of work. Every implementation passes it, so that what holds over the in-memory twin
// holds over Postgres. Imported by specs only.
import { type Instant, instantOf } from '@compasso/kernel';
import {
  cents,
  defineTable,
  identity,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  uuid,
} from './table.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export const purseTable = defineTable({
  name: 'purse',
  columns: {
    purseId: uuid,
    owner: text,
    heldCents: cents,
    note: nullable(json),
    dueAt: nullable(instant),
    nickname: nullable(text),
  },
  key: ['purseId'],
  uniques: [{ name: 'purse_nickname', columns: ['nickname'] }],
  checks: { held_not_negative: (row) => row.heldCents >= 0n },
});
export const stampTable = defineTable({
  name: 'stamp',
  columns: { owner: text, number: integer, mark: text },
  key: ['owner', 'number'],
  appendOnly: true,
});
export const queueTable = defineTable({
  name: 'queue',
  columns: { position: identity, mark: text },
  key: ['position'],
});

export const featureTablesSql = `
create table purse (
  purse_id uuid primary key, owner text not null,
  held_cents bigint not null constraint held_not_negative check (held_cents >= 0),
  note text, due_at timestamptz, nickname text constraint purse_nickname unique
);
create table stamp (owner text not null, number integer not null, mark text not null, primary key (owner, number));
create trigger stamp_append_only before update or delete on stamp for each row execute function refuse_change();
create table queue (position bigint generated always as identity primary key, mark text not null);
`;

const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const purse = (n: number, change: Partial<RowOf<typeof purseTable>> = {}): RowOf<typeof purseTable> => ({
  purseId: idOf(n),
  owner: `owner-${n}`,
  heldCents: 100n as RowOf<typeof purseTable>['heldCents'],
  note: null,
  dueAt: null,
  nickname: null,
  ...change,
});

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'nothing';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};

export function describeUnitOfWork(name: string, open: () => Promise<UnitOfWork>): void {
  describe(`unit of work: ${name}`, () => {
    rowFeatures(open);
    refusalFeatures(open);
    orderFeatures(open);
    concurrencyFeatures(open);
  });
}

function rowFeatures(open: () => Promise<UnitOfWork>): void {
  it('reads back what it inserted, whatever the text', async () => {
    const unitOfWork = await open();
    const odd = `{"a":"quotes \\" braces {} commas , backslash \\\\ NULL ünï"}`;
    const row = purse(1, { owner: '{NULL,"x"}\\ é', note: odd, dueAt: instantOf(1_700_000_000_123) });
    await unitOfWork.run((transaction) => transaction.insert(purseTable, [row, purse(2)]));
    const read = await unitOfWork.run((transaction) =>
      transaction.read(purseTable, [[idOf(2)], [idOf(1)], [idOf(9)]]),
    );
    expect(read).toEqual([row, purse(2)]);
  });

  it('keeps integers exact beyond 2^53', async () => {
    const unitOfWork = await open();
    const row = purse(1, { heldCents: 9_007_199_254_740_993n as never });
    await unitOfWork.run((transaction) => transaction.insert(purseTable, [row]));
    const [read] = await unitOfWork.run((transaction) => transaction.lock(purseTable, [[idOf(1)]]));
    expect(read?.heldCents).toBe(9_007_199_254_740_993n);
  });

  it('updates and removes by key', async () => {
    const unitOfWork = await open();
    await unitOfWork.run((transaction) => transaction.insert(purseTable, [purse(1), purse(2)]));
    await unitOfWork.run((transaction) => transaction.update(purseTable, [purse(1, { owner: 'new' })]));
    await unitOfWork.run((transaction) => transaction.remove(purseTable, [[idOf(2)]]));
    const read = await unitOfWork.run((transaction) => transaction.read(purseTable, [[idOf(1)], [idOf(2)]]));
    expect(read).toEqual([purse(1, { owner: 'new' })]);
  });

  it('updates the columns that are named, and no other', async () => {
    const unitOfWork = await open();
    await unitOfWork.run((transaction) => transaction.insert(purseTable, [purse(1, { nickname: 'a' }), purse(2)]));
    const moved = [purse(1, { owner: 'new', nickname: 'x' }), purse(2, { owner: 'newer', nickname: 'y' })];
    await unitOfWork.run((transaction) => transaction.update(purseTable, moved, new Set(['owner'])));
    const read = await unitOfWork.run((transaction) => transaction.read(purseTable, [[idOf(1)], [idOf(2)]]));
    expect(read).toEqual([purse(1, { owner: 'new', nickname: 'a' }), purse(2, { owner: 'newer' })]);
  });

  it.each([[['']], [['', 'b']], [['a\u001fb', 'c']], [['a\u001eb', 'c']], [['\u001e', null]], [['{"a"}', 'NULL', '\\']]])(
    'keeps texts as they are: %j',
    async (texts) => {
      const unitOfWork = await open();
      const rows = texts.map((nickname, at) => purse(at + 1, { nickname, owner: nickname ?? '' }));
      await unitOfWork.run((transaction) => transaction.insert(purseTable, rows));
      const read = await unitOfWork.run((transaction) => transaction.read(purseTable, rows.map(({ purseId }) => [purseId])));
      expect(read).toEqual(rows);
    },
  );

  it('undoes everything when the work throws', async () => {
    const unitOfWork = await open();
    await unitOfWork.run((transaction) => transaction.insert(purseTable, [purse(1)]));
    const failing = unitOfWork.run(async (transaction) => {
      await transaction.insert(purseTable, [purse(2)]);
      await transaction.update(purseTable, [purse(1, { owner: 'lost' })]);
      throw new TypeError('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    const read = await unitOfWork.run((transaction) => transaction.read(purseTable, [[idOf(1)], [idOf(2)]]));
    expect(read).toEqual([purse(1)]);
  });
}

function refusalFeatures(open: () => Promise<UnitOfWork>): void {
  it('refuses a taken key or unique as a conflict', async () => {
    const unitOfWork = await open();
    await unitOfWork.run((transaction) => transaction.insert(purseTable, [purse(1, { nickname: 'a' })]));
    const again = unitOfWork.run((transaction) => transaction.insert(purseTable, [purse(1)]));
    expect(await codeOf(again)).toBe('row_conflict');
    const sameNickname = unitOfWork.run((transaction) =>
      transaction.insert(purseTable, [purse(2, { nickname: 'a' })]),
    );
    const error = await sameNickname.catch((caught: unknown) => caught);
    expect(unitOfWork.meaningOf(error)).toBe('conflict');
  });

  it('refuses a row that breaks a check, and a change of an append-only row', async () => {
    const unitOfWork = await open();
    const negative = unitOfWork.run((transaction) =>
      transaction.insert(purseTable, [purse(1, { heldCents: -1n as never })]),
    );
    expect(await codeOf(negative)).toBe('constraint_violated');
    const stamp = { owner: 'a', number: 1, mark: 'x' };
    await unitOfWork.run((transaction) => transaction.insert(stampTable, [stamp]));
    expect(await codeOf(unitOfWork.run((t) => t.update(stampTable, [stamp])))).toBe('append_only');
    expect(await codeOf(unitOfWork.run((t) => t.remove(stampTable, [['a', 1]])))).toBe('append_only');
  });

  it('refuses to update what is not there', async () => {
    const unitOfWork = await open();
    expect(await codeOf(unitOfWork.run((t) => t.update(purseTable, [purse(1)])))).toBe('row_missing');
  });

  it('inserts what is missing and says which', async () => {
    const unitOfWork = await open();
    const stamp = (number: number) => ({ owner: 'a', number, mark: 'x' });
    await unitOfWork.run((transaction) => transaction.insert(stampTable, [stamp(2)]));
    const fresh = await unitOfWork.run((transaction) =>
      transaction.insertMissing(stampTable, [stamp(1), stamp(2), stamp(3)]),
    );
    expect([...fresh].sort()).toEqual([['a', 1], ['a', 3]]);
  });

  it('commits nothing once its signal has fired', async () => {
    const unitOfWork = await open();
    const ended = new AbortController();
    const work = unitOfWork.run(
      async (transaction) => {
        await transaction.insert(purseTable, [purse(1)]);
        ended.abort();
      },
      { signal: ended.signal },
    );
    await expect(work).rejects.toBeDefined();
    const read = await unitOfWork.run((transaction) => transaction.read(purseTable, [[idOf(1)]]));
    expect(read).toEqual([]);
  });
}

function orderFeatures(open: () => Promise<UnitOfWork>): void {
  it('returns locked rows in key order', async () => {
    const unitOfWork = await open();
    const rows = [['b', 10], ['a', 2], ['B', 1], ['a', 10]].map(([owner, number]) => ({
      owner: owner as string,
      number: number as number,
      mark: 'x',
    }));
    await unitOfWork.run((transaction) => transaction.insert(stampTable, rows));
    const read = await unitOfWork.run((transaction) =>
      transaction.lock(stampTable, rows.map((row) => [row.owner, row.number])),
    );
    expect(read.map((row) => [row.owner, row.number])).toEqual([['B', 1], ['a', 2], ['a', 10], ['b', 10]]);
  });

  it('draws identities in the order of the rows', async () => {
    const unitOfWork = await open();
    const marks = Array.from({ length: 50 }, (_, n) => ({ mark: `m${n}` }));
    await unitOfWork.run((transaction) => transaction.insert(queueTable, marks));
    const read = await unitOfWork.run((transaction) =>
      transaction.oldest(queueTable, { column: 'position', limit: 100 }),
    );
    expect(read.map((row) => row.mark)).toEqual(marks.map(({ mark }) => mark));
  });

  it('finds due rows, oldest first, and filters by value', async () => {
    const unitOfWork = await open();
    const at = (milliseconds: number): Instant => instantOf(Date.now() + milliseconds);
    await unitOfWork.run((transaction) =>
      transaction.insert(purseTable, [
        purse(1, { dueAt: at(-1_000), owner: 'x' }),
        purse(2, { dueAt: at(-2_000), owner: 'x' }),
        purse(3, { dueAt: at(-3_000), owner: 'y' }),
        purse(4, { dueAt: at(60_000), owner: 'x' }),
        purse(5, { owner: 'x' }),
      ]),
    );
    const due = await unitOfWork.run((transaction) =>
      transaction.due(purseTable, { column: 'dueAt', limit: 10, where: { owner: 'x' } }),
    );
    expect(due.map((row) => row.purseId)).toEqual([idOf(2), idOf(1)]);
  });
}

function concurrencyFeatures(open: () => Promise<UnitOfWork>): void {
  it('lets exactly one of many concurrent creators win', async () => {
    const unitOfWork = await open();
    const stamp = { owner: 'a', number: 1, mark: 'x' };
    const fresh = await Promise.all(
      Array.from({ length: 8 }, () => unitOfWork.run((t) => t.insertMissing(stampTable, [stamp]))),
    );
    expect(fresh.filter((keys) => keys.length === 1)).toHaveLength(1);
  });

  it('never loses an update under its lock', async () => {
    const unitOfWork = await open();
    await unitOfWork.run((transaction) =>
      transaction.insert(purseTable, [purse(1, { heldCents: 0n as never })]),
    );
    const addOne = () =>
      unitOfWork.run(async (transaction) => {
        const [row] = await transaction.lock(purseTable, [[idOf(1)]]);
        await transaction.update(purseTable, [{ ...row!, heldCents: (row!.heldCents + 1n) as never }]);
      });
    await Promise.all(Array.from({ length: 20 }, addOne));
    const [row] = await unitOfWork.run((transaction) => transaction.read(purseTable, [[idOf(1)]]));
    expect(row?.heldCents).toBe(20n);
  });
}
