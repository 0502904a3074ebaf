// News about an ended payout that does not fit how it ended. The end stays; somebody must hear of it.
import type { KnownPayout } from './payout.ts';
import type { Answer } from './proof.ts';
import type { CallOutcome } from './record-outcome.ts';

export type Contradiction =
  'paid_after_rejection' | 'failed_after_confirmation' | 'accepted_although_never_sent';

export type News = { readonly answer: Answer } | { readonly outcome: CallOutcome };

export function contradictionOf(payout: KnownPayout, news: News): Contradiction | undefined {
  const kind = 'answer' in news ? news.answer.kind : news.outcome.kind;
  if (payout.status === 'confirmed') return kind === 'failed' ? 'failed_after_confirmation' : undefined;
  if (payout.status !== 'rejected') return undefined;
  if (kind === 'paid') return 'paid_after_rejection';
  // A call that the provider took, although our proof was that none had left or that it keeps nothing.
  return kind === 'accepted' && payout.evidence !== 'query_failed'
    ? 'accepted_although_never_sent'
    : undefined;
}
