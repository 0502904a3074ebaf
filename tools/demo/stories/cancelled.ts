// Transfers that the payer no longer wants: in time, and too late.
import { uuidv7 } from 'uuidv7';
import { until } from '../../../infra/until.ts';
import { endings } from '../axes.ts';
import { Checks } from '../checks.ts';
import type { Story } from '../story.ts';
import { amountOf, openAccount, orderOf, topicOrderOf, untilEnds, type World } from '../world.ts';
import { checkBalance, checkPaidFor, fundsCents, type Single } from './single-transfer.ts';

const amountCents = 15_000;

/** Through both doors: the cancellation arrives first, as it may when the two take different ways. */
export const cancelledBeforeRequest: Story = {
  name: 'cancelled-before-request',
  ends: endings.refused,
  async play(world) {
    const checks = new Checks();
    const { ledger, team, simulator, tracker } = world.clients;
    const accountId = await openAccount(world, { fundsCents });
    const overHttp = uuidv7();
    const kept = await ledger.cancelTransfer(overHttp, accountId);
    checks.equal('the answer to the cancellation', [kept.status, kept.body.outcome], [202, 'kept_for_the_request']);
    const order = orderOf({ accountId, amountCents, story: 'cancelled-before-request' });
    const answer = await ledger.requestTransfer(overHttp, order);
    checks.equal('the answer to the request', [answer.status, answer.body.code], [422, 'cancelled_by_requester']);
    const overTopic = topicOrderOf({ accountId, amountCents, story: 'cancelled-before-request' });
    await team.send([team.cancellation(overTopic), await team.record(overTopic)]);
    const transferIds = [overHttp, overTopic.transferId];
    for (const transferId of transferIds) {
      await untilEnds(world, transferId, endings.refused);
      checks.equal('the reason', (await tracker.transfer(transferId))?.reason, 'cancelled_by_requester');
      checks.equal('orders at the provider', (await simulator.ordersOf(transferId)).length, 0);
    }
    await checkBalance({ accountId }, { availableCents: fundsCents, heldCents: 0 }, { world, checks });
    return { transferIds, complaints: checks.complaints };
  },
};

/** The provider has the order and is working on it: nobody can take it back, and nobody pretends to. */
export const cancelTooLate: Story = {
  name: 'cancel-too-late',
  ends: endings.completed,
  telling: true,
  async play(world) {
    const checks = new Checks();
    const { ledger, simulator } = world.clients;
    const accountId = await openAccount(world, { fundsCents });
    const single = { transferId: uuidv7(), accountId, amountCents: amountOf('deadline-review') };
    await ledger.requestTransfer(single.transferId, orderOf({ ...single, story: 'cancel-too-late' }));
    await untilTold(single, 'payout.submitted', world);
    const passedOn = await ledger.cancelTransfer(single.transferId, accountId);
    checks.equal('the answer to the cancellation', [passedOn.status, passedOn.body.outcome], [202, 'passed_on']);
    await checks.attempt(() => untilTold(single, 'payout.cancel-refused', world));
    await simulator.endOrder(single.transferId, { status: 'paid' });
    await untilEnds(world, single.transferId, endings.completed);
    await checkPaidFor(single, world, checks);
    const late = await ledger.cancelTransfer(single.transferId, accountId);
    checks.equal('the answer once it is paid', [late.status, late.body.code], [409, 'transfer_already_settled']);
    return { transferIds: [single.transferId], complaints: checks.complaints };
  },
};

async function untilTold({ transferId }: Single, event: string, { clients }: World): Promise<void> {
  const isTold = async (): Promise<boolean> => {
    const known = await clients.tracker.transfer(transferId);
    if (known === undefined) return false;
    const steps = await clients.tracker.timeline(transferId);
    return steps.some((step) => step.event === event);
  };
  await until(isTold, { what: `${event} of ${transferId}`, withinMs: 40_000, everyMs: 100 });
}
