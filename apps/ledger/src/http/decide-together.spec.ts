import { CodedError } from '@compasso/kernel';
import type { Executor } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import type { LedgerDesk } from '../postgres/ledger-desk.ts';
import { ledgerWorld } from '../kafka/ledger-world.story.ts';
import { decideTogether, togetherPolicy } from './decide-together.ts';

/** The world's own executor, which counts its transactions and can be made to wait. */
function counted(world: ReturnType<typeof ledgerWorld>) {
  const seen = { transactions: 0, holdUp: Promise.resolve() };
  const executor: Executor = {
    async execute(work, execution) {
      seen.transactions += 1;
      await seen.holdUp;
      return world.executor.execute(work, execution);
    },
  };
  return { executor, seen };
}

const open = (accountId: string) => (desk: LedgerDesk) => {
  const limits = { perTransfer: 1n, day: 1n, night: 1n } as never;
  desk.decideAccount({ type: 'OpenAccount', accountId, holderKind: 'legal', limits }, 'client.x');
  return desk.accountRow(accountId)?.accountId;
};
const needOf = (accountId: string) => ({ accountId, limits: 'none' as const });
const unavailable = { status: 503, code: 'temporarily_unavailable' };

it('decides in one transaction what has come while others were under way', async () => {
  const world = ledgerWorld();
  const { executor, seen } = counted(world);
  const decide = decideTogether(executor, world.parts);
  const ids = Array.from({ length: 50 }, () => uuidv7());
  const answers = await Promise.all(ids.map((id) => decide(needOf(id), open(id))));
  expect(answers).toEqual(ids);
  expect(seen.transactions).toBe(togetherPolicy.lanes + 1);
});

it('sees within one transaction what was decided before', async () => {
  const world = ledgerWorld();
  const { executor } = counted(world);
  const decide = decideTogether(executor, world.parts, { ...togetherPolicy, lanes: 1 });
  const [first, ...same] = Array.from({ length: 3 }, () => uuidv7());
  await Promise.all([first!, same[0]!, same[0]!].map((id) => decide(needOf(id), open(id))));
  expect(world.account(same[0]!)).toMatchObject({ sequence: 1 });
});

it('lets nobody fail for another one’s bug', async () => {
  const world = ledgerWorld();
  const { executor } = counted(world);
  const decide = decideTogether(executor, world.parts, { ...togetherPolicy, lanes: 1 });
  const [first, good, bad] = [uuidv7(), uuidv7(), uuidv7()];
  const outcomes = await Promise.allSettled([
    decide(needOf(first), open(first)),
    decide(needOf(bad), () => {
      throw new CodedError('a_bug', 'Only this one.');
    }),
    decide(needOf(good), open(good)),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'a_bug' } },
    { status: 'fulfilled', value: good },
  ]);
  expect(world.account(good)).toMatchObject({ accountId: good });
});

it('turns away whom it cannot let wait, and who has waited too long', async () => {
  const world = ledgerWorld();
  const { executor, seen } = counted(world);
  const policy = { ...togetherPolicy, lanes: 1, waitingMax: 1, waitMsMax: -1 };
  let letGo: () => void = () => undefined;
  seen.holdUp = new Promise((resolve) => (letGo = resolve));
  const patient = decideTogether(executor, world.parts, { ...policy, waitMsMax: 60_000 });
  const ids = [uuidv7(), uuidv7(), uuidv7()] as const;
  const [under, next, tooMany] = ids.map((id) => patient(needOf(id), open(id)));
  await expect(tooMany).rejects.toMatchObject(unavailable);
  letGo();
  expect(await Promise.all([under, next])).toEqual(ids.slice(0, 2));
  const impatient = decideTogether(executor, world.parts, policy);
  await expect(impatient(needOf(uuidv7()), open(uuidv7()))).rejects.toMatchObject(unavailable);
});

it('tells everybody when the database is away, without trying each alone', async () => {
  const world = ledgerWorld();
  let tries = 0;
  const away: Executor = {
    execute: async () => {
      tries += 1;
      throw new CodedError('temporarily_unavailable', 'The database is away.');
    },
  };
  const decide = decideTogether(away, world.parts, { ...togetherPolicy, lanes: 1 });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 5 }, () => decide(needOf(uuidv7()), open(uuidv7()))),
  );
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(tries).toBe(2);
});
