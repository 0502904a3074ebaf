// Invariants 2, 3 and 4: one order, one end, and proof for it.
import type { Facts } from './facts.ts';
import { groupBy, type Judgement, judgement } from './judgement.ts';

/** At most one provider order that can still pay per transfer; its amount is the hold's principal. */
export function judgeOrders({ orders, transfers }: Facts): Judgement {
  const violations: string[] = [];
  const amounts = new Map(transfers.map(({ transferId, amountCents }) => [transferId, amountCents]));
  for (const [payoutId, own] of groupBy(orders, (order) => order.payoutId)) {
    const live = own.filter((order) => order.live);
    if (live.length > 1) violations.push(`transfer ${payoutId} has ${live.length} live orders`);
    const principal = amounts.get(payoutId);
    if (principal === undefined) violations.push(`order of ${payoutId} belongs to no transfer`);
    for (const { amountCents, orderId } of live) {
      if (principal !== undefined && amountCents !== principal) {
        violations.push(`order ${orderId} pays ${amountCents}, transfer ${payoutId} holds ${principal}`);
      }
    }
  }
  return judgement(2, 'one live order per transfer', orders.length, violations);
}

const endings: Readonly<Record<string, readonly string[]>> = {
  refused: [],
  reserved: ['hold'],
  authorized: ['hold'],
  settled: ['hold', 'settle'],
  released: ['hold', 'release'],
};

/** A hold ends at most once, and no hold outlives its transfer. */
export function judgeHolds({ transfers, entries }: Facts): Judgement {
  const violations: string[] = [];
  const kinds = groupBy(entries, ({ transferId }) => transferId);
  for (const { transferId, state } of transfers) {
    const found = (kinds.get(transferId) ?? []).map(({ kind }) => kind).sort();
    const expected = [...(endings[state] ?? ['a known state'])].sort();
    if (found.join() !== expected.join()) {
      violations.push(`transfer ${transferId} is ${state} with entries [${found.join(', ')}]`);
    }
  }
  return judgement(3, 'a hold ends once', transfers.length, violations);
}

/** Settled if and only if there is proof of paid; released only with proof of not paid. */
export function judgeProof({ transfers, payouts, orders }: Facts): Judgement {
  const violations: string[] = [];
  const payoutOf = new Map(payouts.map((payout) => [payout.transferId, payout]));
  const ordersOf = groupBy(orders, ({ payoutId }) => payoutId);
  for (const { transferId, state } of transfers) {
    const payout = payoutOf.get(transferId);
    const own = ordersOf.get(transferId) ?? [];
    const isPaid = own.some(({ status }) => status === 'paid');
    const isProven = payout?.evidence !== null && payout?.evidence !== undefined;
    if (state === 'settled' && !isPaid) violations.push(`transfer ${transferId} is settled; the provider has not paid it`);
    if (state === 'settled' && !(payout?.state === 'confirmed' && isProven)) {
      violations.push(`transfer ${transferId} is settled without proof of paid (payout: ${payout?.state ?? 'none'})`);
    }
    if (state === 'released' && own.some(({ live }) => live)) {
      violations.push(`transfer ${transferId} is released; the provider can still pay it or has paid it`);
    }
    if (state === 'released' && !(payout?.state === 'rejected' && isProven)) {
      violations.push(`transfer ${transferId} is released without proof of not paid (payout: ${payout?.state ?? 'none'})`);
    }
    if (isPaid && payout?.state === 'confirmed' && state !== 'settled') {
      violations.push(`transfer ${transferId} is paid and proven, and ${state}`);
    }
    if (state === 'refused' && payout !== undefined) violations.push(`transfer ${transferId} is refused and has a payout`);
  }
  return judgement(4, 'settled and released with proof', transfers.length, violations);
}
