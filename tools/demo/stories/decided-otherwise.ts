// Transfers that do not simply arrive: undone, surrounded by forged webhooks, or waiting for a person.
import { until } from '../../../infra/until.ts';
import { endings } from '../axes.ts';
import type { World } from '../world.ts';
import { checkBalance, checkPaidFor, faultStory, fundsCents, type Single } from './single-transfer.ts';

const deliveredWithinMs = 10_000;

export const rejectedAc03 = faultStory({
  fault: 'rejected-ac03',
  ends: endings.compensated,
  telling: true,
  look: async (single, world, checks) => {
    await checkBalance(single, { availableCents: fundsCents, heldCents: 0 }, { world, checks });
    const orders = await world.clients.simulator.ordersOf(single.transferId);
    checks.equal('orders that can still pay', orders.filter(({ live }) => live).length, 0);
    const transfer = await world.clients.tracker.transfer(single.transferId);
    checks.equal('the reason', transfer?.reason, 'AC03');
    const steps = await world.clients.tracker.timeline(single.transferId);
    const release = steps.find(({ event }) => event === 'ledger.funds-released');
    checks.equal('what the release undoes', release?.undoes?.event, 'ledger.funds-reserved');
  },
});

/**
 * The true delivery, kept once although it came twice; a lie under a right signature, which is a hint like any other;
 * wrong and stale signatures, which come again because they are refused.
 */
const hintsExpected = 2;
const refusedExpected = ['signature_invalid', 'timestamp_out_of_range'];

export const webhookDoubledForged = faultStory({
  fault: 'webhook-doubled-forged',
  ends: endings.completed,
  look: async (single, world, checks) => {
    await checkPaidFor(single, world, checks);
    const verdicts = await verdictsOn(single, world);
    checks.equal('hints', verdicts.filter((verdict) => verdict === 'hint').length, hintsExpected);
    checks.equal('verdicts on the forgeries', verdicts.filter(isRefusal), refusedExpected);
    const entries = await world.clients.ledger.entries(single.accountId);
    const ends = entries.filter(({ transferId, kind }) => transferId === single.transferId && kind !== 'hold');
    checks.equal('ends in the journal', ends.map(({ kind }) => kind), ['settle']);
  },
});

const isRefusal = (verdict: string, at: number, all: readonly string[]): boolean =>
  verdict !== 'hint' && all.indexOf(verdict) === at;

/** The last forgery may come after the transfer has ended: by then it can only be kept. */
async function verdictsOn({ transferId }: Single, { clients }: World): Promise<readonly string[]> {
  let verdicts: readonly string[] = [];
  const haveAllCome = async () => {
    verdicts = ((await clients.payouts.payout(transferId))?.webhooks ?? []).map(({ verdict }) => verdict).sort();
    return verdicts.length >= hintsExpected && refusedExpected.every((verdict) => verdicts.includes(verdict));
  };
  await until(haveAllCome, { what: 'all deliveries', withinMs: deliveredWithinMs }).catch(() => undefined);
  return verdicts;
}

/** Longer than the gateway waits for a provider that never decides. */
const reviewWithinMs = 110_000;

export const deadlineReview = faultStory({
  fault: 'deadline-review',
  ends: endings.inReview,
  telling: true,
  endsWithinMs: reviewWithinMs,
  look: async (single, world, checks) => {
    const { amountCents } = single;
    await checkBalance(single, { availableCents: fundsCents - amountCents, heldCents: amountCents }, { world, checks });
    const cases = await world.clients.tracker.openCases();
    checks.equal('open cases', cases.filter(({ transferId }) => transferId === single.transferId).length, 1);
  },
});
