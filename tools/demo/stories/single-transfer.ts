// The shape that most stories share: one account, one transfer over HTTP, one end.
import { uuidv7 } from 'uuidv7';
import type { FaultName } from '../../../apps/provider-simulator/src/domain/fault-catalogue.ts';
import type { ProviderCall } from '../../client/simulator-client.ts';
import type { Axes } from '../../client/tracker-client.ts';
import { Checks } from '../checks.ts';
import type { Played, Story } from '../story.ts';
import { amountOf, openAccount, orderOf, untilEnds, type World } from '../world.ts';

export const fundsCents = 1_000_000;

export interface Single {
  readonly transferId: string;
  readonly accountId: string;
  readonly amountCents: number;
}

export interface FaultStory {
  readonly fault: Exclude<FaultName, 'none'>;
  readonly ends: Axes;
  readonly telling?: boolean;
  readonly endsWithinMs?: number;
  /** Beyond the end itself. */
  readonly look?: (single: Single, world: World, checks: Checks) => Promise<void>;
}

/** A story named after the fault that the provider shows. */
export function faultStory({ fault, ends, telling = false, endsWithinMs, look }: FaultStory): Story {
  return {
    name: fault,
    ends,
    telling,
    async play(world): Promise<Played> {
      const checks = new Checks();
      const accountId = await openAccount(world, { fundsCents });
      const single = { transferId: uuidv7(), accountId, amountCents: amountOf(fault) };
      const answer = await world.clients.ledger.requestTransfer(single.transferId, orderOf({ ...single, story: fault }));
      checks.equal('the answer of the ledger', answer.status, 202);
      await untilEnds(world, single.transferId, ends, endsWithinMs);
      await checks.attempt(async () => look?.(single, world, checks));
      return { transferIds: [single.transferId], complaints: checks.complaints };
    },
  };
}

/** Exactly one order at the provider, of exactly this amount, that has paid. */
export async function checkPaidOnce({ transferId, amountCents }: Single, world: World, checks: Checks): Promise<void> {
  const orders = await world.clients.simulator.ordersOf(transferId);
  const facts = orders.map((order) => ({ status: order.status, amountCents: order.amountCents }));
  checks.equal('orders at the provider', facts, [{ status: 'paid', amountCents }]);
}

export async function checkBalance(
  { accountId }: Pick<Single, 'accountId'>,
  expected: { readonly availableCents: number; readonly heldCents: number },
  { world, checks }: { readonly world: World; readonly checks: Checks },
): Promise<void> {
  const { availableCents, heldCents } = await world.clients.ledger.account(accountId);
  checks.equal('the balance', { availableCents, heldCents }, expected);
}

export async function checkPaidFor(single: Single, world: World, checks: Checks): Promise<void> {
  await checkPaidOnce(single, world, checks);
  const availableCents = fundsCents - single.amountCents;
  await checkBalance(single, { availableCents, heldCents: 0 }, { world, checks });
}

export async function submissionsOf({ transferId }: Single, world: World): Promise<readonly ProviderCall[]> {
  const calls = await world.clients.simulator.callsOf(transferId);
  return calls.filter(({ method }) => method === 'PUT');
}
