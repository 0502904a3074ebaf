// The payer has changed its mind after the pivot. Only what has not begun can be given up: a call that may have left
// something ends by proof, whatever anybody wishes (attack W1).
import { type Instant, unreachable } from '@compasso/kernel';
import type { CancelRefusal, KnownPayout, PayoutEvent } from './payout.ts';

/** Given up at once; that nothing was ever sent is proved by the next question, as at the end of `sendBefore`. */
export function cancelPayout(payout: KnownPayout, now: Instant): readonly PayoutEvent[] {
  if (payout.status === 'queued') return payout.cancelledAt === null ? [{ type: 'PayoutCancelled', at: now }] : [];
  // The money is on its way back already.
  if (payout.status === 'rejected') return [];
  return [{ type: 'CancelRefused', reason: refusalFor(payout.status) }];
}

function refusalFor(status: Exclude<KnownPayout['status'], 'queued' | 'rejected'>): CancelRefusal {
  switch (status) {
    case 'sending':
    case 'submitted':
      return status;
    case 'unknown':
      return 'outcome_unknown';
    case 'review':
      return 'under_review';
    case 'confirmed':
      return 'already_paid';
    default:
      return unreachable(status);
  }
}
