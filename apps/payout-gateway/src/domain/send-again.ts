// When the same order may be sent a second time: same id, same bytes, and only where a repeat cannot pay twice
// (attacks H1, H4; design, section 6).
import { addMilliseconds, type Instant } from '@compasso/kernel';
import { endOf, hasOutcome } from './attempt.ts';
import type { Rules } from './given.ts';
import type { KnownPayout } from './payout.ts';
import type { Asked } from './proof.ts';

/**
 * `later`: not found means nothing yet. `never`: no further call can be made safely, so a person must look.
 * `if_known_order_is_visible`: all that is left is to see that the provider still shows an order that exists.
 */
export type SendAgain = 'later' | 'never' | 'if_known_order_is_visible';

/** What an answer "not found", to a question put at `asked`, permits. */
export function sendAgainAfterNotFound(
  payout: KnownPayout,
  asked: Asked,
  now: Instant,
  rules: Rules,
): SendAgain {
  if (payout.status !== 'unknown' || asked.attempts !== payout.attempts.length) return 'later';
  // What was given up is never sent, also if an order was seen under its id and then no more.
  if (payout.cancelledAt !== null) return 'never';
  if (asked.at < graceEndOf(payout, rules)) return 'later';
  const undecided = payout.attempts.every((one) => hasOutcome(one, 'unknown', 'not_sent'));
  const { idempotencyMemoryMs } = rules.capabilities;
  const first = payout.firstAttemptAt ?? now;
  // The repeat must arrive while the memory lasts, not only leave.
  const arrivesBy = now + rules.policy.sendWindowMs + rules.policy.callTimeoutMs;
  const isRemembered = arrivesBy - first < idempotencyMemoryMs;
  return undecided && isRemembered ? 'if_known_order_is_visible' : 'never';
}

/** Until here "not found" may only mean "not visible yet". */
export function graceEndOf(payout: KnownPayout, { policy, capabilities }: Rules): Instant {
  const last = payout.attempts.filter((one) => !hasOutcome(one, 'not_sent')).at(-1);
  if (last === undefined) return payout.instruction.queuedAt;
  return addMilliseconds(endOf(last, policy.callTimeoutMs), capabilities.notFoundGraceMs);
}
