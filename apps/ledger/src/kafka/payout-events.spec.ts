import { payoutEvents, reactionsOf } from '@compasso/contracts';
import { inboxTable } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { journalEntryTable, limitUsageTable } from '../postgres/tables.ts';
import {
  confirmed,
  fingerprints,
  ledgerWorld,
  rejected,
  requested,
  requests,
} from './ledger-world.story.ts';
import { ledgerSubscriptions } from './reactions.ts';

const accountId = uuidv7();

async function authorized(feeCents = 0) {
  const world = ledgerWorld({ feeCents });
  const transfer = { transferId: uuidv7(), accountId };
  await world.openAccount(accountId);
  await world.receive(requests.name, requested(transfer));
  const before = world.published().length;
  const receive = (...messages: ReturnType<typeof confirmed>[]) =>
    world.receive(payoutEvents.name, ...messages);
  return { world, transfer, receive, news: () => world.published().slice(before) };
}
const kindsOf = (world: ReturnType<typeof ledgerWorld>) =>
  world.unitOfWork.rowsOf(journalEntryTable).map(({ kind }) => kind);

describe('proof of paid', () => {
  it('settles, once, whatever comes again', async () => {
    const { world, transfer, receive, news } = await authorized(35);
    await receive(confirmed(transfer), confirmed(transfer));
    await receive(confirmed(transfer));
    expect(news()).toMatchObject([
      {
        type: 'compasso.ledger.transfer-settled.v1',
        sequence: 3,
        data: { after: 'settled', amountCents: 1_000, feeCents: 35 },
      },
    ]);
    expect(world.account(accountId)).toMatchObject({ availableCents: 98_965n, heldCents: 0n });
    expect(kindsOf(world)).toEqual(['deposit', 'hold', 'settle']);
    expect(world.contradictions).toEqual([]);
  });

  it('of another amount settles nothing and raises the alarm (H10)', async () => {
    const { world, transfer, receive, news } = await authorized();
    await receive(confirmed(transfer, { data: { amountCents: 100_000 } }));
    expect(news()).toEqual([]);
    expect(world.contradictions).toEqual(['confirmed_amount_differs']);
    expect(world.transfer(transfer.transferId)).toMatchObject({ state: 'authorized' });
    const inbox = world.unitOfWork.rowsOf(inboxTable);
    const ours = inbox.filter(({ source }) => source === payoutEvents.source);
    expect(ours).toMatchObject([{ verdict: 'ignored' }]);
  });

  it('after a release is a contradiction, never a transition', async () => {
    const { world, transfer, receive, news } = await authorized();
    await receive(rejected(transfer), confirmed(transfer, { sequence: 3 }));
    expect(news().map(({ type }) => type)).toEqual(['compasso.ledger.funds-released.v1']);
    expect(world.contradictions).toEqual(['confirmed_after_release']);
  });

  it('about an unknown transfer stops the process rather than being passed over', async () => {
    const { receive } = await authorized();
    const unknown = confirmed({ transferId: uuidv7(), accountId });
    await expect(receive(unknown)).rejects.toMatchObject({ code: 'message_stops_the_process' });
  });
});

describe('proof of not paid', () => {
  it('releases amount, fee and limits, once', async () => {
    const { world, transfer, receive, news } = await authorized(35);
    await receive(rejected(transfer), rejected(transfer));
    expect(news()).toMatchObject([
      {
        type: 'compasso.ledger.funds-released.v1',
        sequence: 3,
        data: { after: 'released', reason: 'AC03', feeCents: 35, limitBuckets: ['day:2026-11-30'] },
      },
    ]);
    expect(world.account(accountId)).toMatchObject({ availableCents: 100_000n, heldCents: 0n });
    expect(world.unitOfWork.rowsOf(limitUsageTable)).toMatchObject([{ usedCents: 0n }]);
  });

  it('gives back to the buckets of the hold after midnight too (H9)', async () => {
    const world = ledgerWorld({ at: '2026-11-30T23:50:00-03:00' });
    const transfer = { transferId: uuidv7(), accountId };
    await world.openAccount(accountId);
    await world.receive(requests.name, requested(transfer));
    const tomorrow = (30 * 60_000 + Date.parse('2026-11-30T23:50:00-03:00')) as never;
    world.moveTo(tomorrow);
    await world.receive(payoutEvents.name, rejected(transfer));
    expect(world.unitOfWork.rowsOf(limitUsageTable)).toMatchObject([
      { bucket: 'day:2026-11-30', usedCents: 0n },
      { bucket: 'night:2026-11-30', usedCents: 0n },
    ]);
  });
});

it('reacts to exactly the events that the score gives it', () => {
  const subscriptions = ledgerSubscriptions([{ name: 'acme', mayDebit: () => true }], fingerprints);
  const names = subscriptions.flatMap(({ reactions }) =>
    reactions.map(({ contract }) => contract.name),
  );
  expect(names.sort()).toEqual([...reactionsOf('ledger')].sort());
});
