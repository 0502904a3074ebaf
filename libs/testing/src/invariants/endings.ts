// Invariant 5: what has ended stays ended; once faults stop, everything ends or waits in a case that can be closed.
import type { Facts, RecordFact } from './facts.ts';
import { groupBy, type Judgement, judgement } from './judgement.ts';

const terminalWords = new Set(['refused', 'settled', 'released']);

export function judgeEndings({ transfers, payouts, cases, records }: Facts): Judgement {
  const violations = [...reopened(records)];
  const payoutOf = new Map(payouts.map((payout) => [payout.transferId, payout]));
  const open = new Set(cases.filter(({ state }) => state === 'open').map(({ caseId }) => caseId));
  for (const { transferId, state } of transfers) {
    if (terminalWords.has(state)) continue;
    const payout = payoutOf.get(transferId);
    const hasCase = payout?.state === 'review' && payout.reviewCaseId !== null && open.has(payout.reviewCaseId);
    if (!hasCase) {
      violations.push(`transfer ${transferId} is ${state} (payout: ${payout?.state ?? 'none'}) and no open case holds it`);
    }
  }
  return judgement(5, 'every saga ends once', transfers.length, violations);
}

/** The ledger's words per transfer, in the order of their sequence: nothing follows a terminal one but itself. */
function* reopened(records: readonly RecordFact[]): Generator<string> {
  const ledger = records.filter(({ topic, data }) => topic === 'pix.ledger-events.v1' && data?.['after'] !== undefined);
  for (const [transferId, own] of groupBy(ledger, ({ subject }) => subject)) {
    const words = [...own]
      .sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))
      .map(({ data }) => String(data?.['after']));
    const end = words.findIndex((word) => terminalWords.has(word));
    const later = end < 0 ? undefined : words.slice(end).find((word) => word !== words[end]);
    if (later !== undefined) yield `transfer ${transferId} was ${words[end]} and became ${later}`;
  }
}
