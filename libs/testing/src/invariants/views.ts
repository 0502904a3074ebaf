// Invariant 7: the tracker tells what ledger and gateway know, and a rebuild in another order tells the same.
import type { Facts, ViewFact } from './facts.ts';
import { type Judgement, judgement } from './judgement.ts';

/** Gateway states that no event has told yet. */
const untold: Readonly<Record<string, string | null>> = { queued: null, sending: null };

export function judgeViews({ views, refolded, transfers, payouts }: Facts): Judgement {
  const violations: string[] = [];
  const viewOf = new Map(views.map((view) => [view.transferId, view]));
  const payoutOf = new Map(payouts.map((payout) => [payout.transferId, payout]));
  for (const { transferId, state } of transfers) {
    const view = viewOf.get(transferId);
    if (view === undefined) {
      violations.push(`transfer ${transferId} is unknown to the tracker`);
      continue;
    }
    if (view.ledgerWord !== state) violations.push(`transfer ${transferId}: ledger ${state}, tracker ${view.ledgerWord}`);
    const payout = payoutOf.get(transferId)?.state;
    const word = payout === undefined ? null : payout in untold ? view.gatewayWord : payout;
    if (view.gatewayWord !== word) violations.push(`transfer ${transferId}: gateway ${word}, tracker ${view.gatewayWord}`);
  }
  violations.push(...differences(viewOf, refolded));
  return judgement(7, 'the tracker tells what the owners know', transfers.length, violations);
}

function* differences(viewOf: ReadonlyMap<string, ViewFact>, refolded: readonly ViewFact[]): Generator<string> {
  const textOf = (view: ViewFact): string =>
    [view.ledgerWord, view.gatewayWord, view.state, view.money, view.certainty].join('/');
  const unseen = new Set(viewOf.keys());
  for (const again of refolded) {
    unseen.delete(again.transferId);
    const view = viewOf.get(again.transferId);
    if (view === undefined) yield `transfer ${again.transferId} appears only in a fold from offset 0`;
    else if (textOf(view) !== textOf(again)) {
      yield `transfer ${again.transferId}: shown as ${textOf(view)}, a fold from offset 0 gives ${textOf(again)}`;
    }
  }
  for (const transferId of unseen) yield `transfer ${transferId} is shown and on no topic`;
}
