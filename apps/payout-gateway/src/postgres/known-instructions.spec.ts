import { centsOf, instantOf } from '@compasso/kernel';
import { MemoryUnitOfWork, type Transaction, type UnitOfWork, WorkingSet } from '@compasso/messaging';
import { KnownInstructions } from './known-instructions.ts';
import { type InstructionRow, instructionTable } from './tables.ts';

const at = instantOf(0);
const row = (transferId: string): InstructionRow => ({
  transferId,
  accountId: 'account',
  amountCents: centsOf(1),
  provider: 'reference',
  providerOrderId: transferId,
  keyType: 'cpf',
  keyMasked: '***982247**',
  sealed: 'a.b.c.d.e',
  clientReference: null,
  sendBefore: at,
  authorizedEventId: 'event',
  traceparent: null,
  createdAt: at,
});

async function setup(...ids: readonly string[]) {
  const unit: UnitOfWork = new MemoryUnitOfWork(() => at);
  await unit.run((transaction) => transaction.insert(instructionTable, ids.map(row)));
  const known = new KnownInstructions(2);
  /** Which rows were read from the database. */
  const ask = (...wanted: readonly string[]) =>
    unit.run(async (transaction) => {
      const read: string[] = [];
      const watched = Object.assign(Object.create(transaction) as Transaction, {
        read: (table: typeof instructionTable, keys: readonly (readonly string[])[]) => {
          read.push(...keys.flat());
          return transaction.read(table, keys);
        },
      });
      const found = await known.of(new WorkingSet(watched), wanted);
      return { found: [...found.keys()], read };
    });
  return { ask };
}

it('reads an instruction once', async () => {
  const { ask } = await setup('a', 'b');
  expect(await ask('a', 'b')).toEqual({ found: ['a', 'b'], read: ['a', 'b'] });
  expect(await ask('b', 'a')).toEqual({ found: ['b', 'a'], read: [] });
});

it('knows nothing of what is not there, however often it is asked', async () => {
  const { ask } = await setup('a');
  expect(await ask('a', 'x')).toEqual({ found: ['a'], read: ['a', 'x'] });
  expect(await ask('x')).toEqual({ found: [], read: ['x'] });
});

it('keeps so many and no more, and gives all that were asked for', async () => {
  const { ask } = await setup('a', 'b', 'c');
  expect((await ask('a', 'b', 'c')).found).toEqual(['a', 'b', 'c']);
  expect(await ask('b', 'c')).toEqual({ found: ['b', 'c'], read: [] });
  const { found, read } = await ask('a', 'b', 'c');
  expect([[...found].sort(), read]).toEqual([['a', 'b', 'c'], ['a']]);
});
