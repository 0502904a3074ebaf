// Transfers that the ledger refuses with a reason that a customer can be told, and that leave nothing behind.
import { uuidv7 } from 'uuidv7';
import { generousLimits, type Limits } from '../../client/ledger-client.ts';
import { endings } from '../axes.ts';
import { Checks } from '../checks.ts';
import type { Story } from '../story.ts';
import { openAccount, orderOf, untilEnds } from '../world.ts';
import { checkBalance } from './single-transfer.ts';

interface Refusal {
  readonly name: string;
  readonly code: string;
  readonly fundsCents: number;
  readonly limits: Limits;
  readonly amountCents: number;
}

function refusalStory({ name, code, fundsCents, limits, amountCents }: Refusal): Story {
  return {
    name,
    ends: endings.refused,
    async play(world) {
      const checks = new Checks();
      const accountId = await openAccount(world, { fundsCents, limits });
      const transferId = uuidv7();
      const order = orderOf({ accountId, amountCents, story: name });
      const first = await world.clients.ledger.requestTransfer(transferId, order);
      checks.equal('the answer of the ledger', [first.status, first.body.code], [422, code]);
      const again = await world.clients.ledger.requestTransfer(transferId, order);
      checks.equal('the answer to the same request', again.text, first.text);
      await untilEnds(world, transferId, endings.refused);
      const shown = await world.clients.tracker.transfer(transferId);
      checks.equal('the reason that the tracker shows', shown?.reason, code);
      await checkBalance({ accountId }, { availableCents: fundsCents, heldCents: 0 }, { world, checks });
      checks.equal('orders at the provider', (await world.clients.simulator.ordersOf(transferId)).length, 0);
      return { transferIds: [transferId], complaints: checks.complaints };
    },
  };
}

export const insufficientFunds = refusalStory({
  name: 'insufficient-funds',
  code: 'insufficient_funds',
  fundsCents: 10_000,
  limits: generousLimits,
  amountCents: 10_001,
});

/** The demo's configuration makes the night cover the whole day, so that this ends the same at any hour. */
export const nightLimit = refusalStory({
  name: 'night-limit',
  code: 'night_limit_exceeded',
  fundsCents: 500_000,
  limits: { ...generousLimits, nightCents: 100_000 },
  amountCents: 100_001,
});
