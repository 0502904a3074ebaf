// How a call ended, and what that says about the payout: rarely much.
import { addMilliseconds, type Instant, unreachable } from '@compasso/kernel';
import { type Attempt, everyNotSent } from './attempt.ts';
import { pauseBefore } from './backoff.ts';
import { conclude, lookAgain, nextLook, reviewOfUnsent } from './conclusions.ts';
import type { Given } from './given.ts';
import {
  evolve,
  isUndecided,
  type KnownPayout,
  type Payout,
  type PayoutEvent,
  type UndecidedPayout,
} from './payout.ts';
import { proofByRefusal, proofOfMismatchedPayee } from './proof.ts';

export type CallOutcome =
  /** `isFinal`: the answer says how the order ended. Only a question proves that, so it is put at once. */
  | { readonly kind: 'accepted'; readonly isFinal: boolean }
  | { readonly kind: 'rejected'; readonly code: string }
  /** `retryAfterMs` missing: the plan of pauses. */
  | { readonly kind: 'not_sent'; readonly cause: string; readonly retryAfterMs?: number | undefined }
  | { readonly kind: 'already_exists' }
  | { readonly kind: 'unknown'; readonly cause: string };

export const payeeMismatch = 'payee_mismatch';
export const payeeUnreadable = 'payee_unreadable';

interface Recorded {
  readonly attempt: number;
  readonly outcome: CallOutcome;
}

export function recordOutcome(recorded: Recorded, payout: KnownPayout, given: Given): readonly PayoutEvent[] {
  const attempt = payout.attempts.find((one) => one.attempt === recorded.attempt);
  if (attempt === undefined || !isNews(attempt, recorded.outcome)) return [];
  const closing = closingOf(recorded, given.now);
  const after: Payout = evolve(payout, closing);
  // Once proof has decided, how a call ended is history, and is kept as such.
  if (!isUndecided(after)) return [closing];
  return [closing, ...consequences(recorded, after, given)];
}

/** A sender that was slow, or frozen, may still know how a call ended that others had to call unknown. */
const isNews = (attempt: Attempt, outcome: CallOutcome): boolean =>
  attempt.state === 'open' || (attempt.outcome === 'unknown' && outcome.kind !== 'unknown');

const closingOf = ({ attempt, outcome }: Recorded, at: Instant): PayoutEvent => ({
  type: 'AttemptClosed',
  attempt,
  outcome: outcome.kind,
  cause: 'cause' in outcome ? outcome.cause : null,
  code: 'code' in outcome ? outcome.code : null,
  finishedAt: at,
});

function consequences(
  { attempt, outcome }: Recorded,
  payout: UndecidedPayout,
  given: Given,
): readonly PayoutEvent[] {
  switch (outcome.kind) {
    case 'accepted':
      return accepted(attempt, outcome.isFinal, payout, given);
    case 'rejected': {
      const proof = proofByRefusal(payout, { attempt, code: outcome.code }, given.rules.capabilities);
      return proof === undefined
        ? ask(attempt, 'refusal_without_proof', payout, given)
        : conclude(payout, proof);
    }
    case 'not_sent':
      return notSent(attempt, outcome, payout, given);
    case 'already_exists':
      return ask(attempt, 'already_exists', payout, given);
    case 'unknown':
      return payout.status === 'sending'
        ? [outcomeUnknown(attempt, outcome.cause, soonOrHinted(payout, given))]
        : [];
    default:
      return unreachable(outcome);
  }
}

function accepted(
  attempt: number,
  isFinal: boolean,
  payout: UndecidedPayout,
  given: Given,
): readonly PayoutEvent[] {
  const dueAt = isFinal ? given.now : soonOrHinted(payout, given);
  if (payout.status === 'submitted') return isFinal ? [lookAgain(given.now)] : [];
  if (payout.status === 'review') {
    const isKnown = payout.review.from === 'submitted' && !isFinal;
    return isKnown ? [] : [{ type: 'OrderAccepted', attempt, dueAt: given.now }];
  }
  return [{ type: 'OrderAccepted', attempt, dueAt }];
}

/** The answer proves nothing, but there may be an order: ask at once. */
function ask(attempt: number, cause: string, payout: UndecidedPayout, given: Given): readonly PayoutEvent[] {
  return payout.status === 'sending' ? [outcomeUnknown(attempt, cause, given.now)] : [lookAgain(given.now)];
}

function notSent(
  attempt: number,
  { cause, retryAfterMs }: Extract<CallOutcome, { kind: 'not_sent' }>,
  payout: UndecidedPayout,
  given: Given,
): readonly PayoutEvent[] {
  const refusedByUs = cause === payeeMismatch ? proofOfMismatchedPayee(payout) : undefined;
  if (refusedByUs !== undefined) return conclude(payout, refusedByUs);
  // A person has been called, or the order was seen: what this call did not do changes nothing.
  if (payout.status === 'review' || payout.status === 'submitted') return [];
  if (everyNotSent(payout.attempts)) return [returnedToQueue(cause, retryAfterMs, payout, given)];
  return payout.status === 'sending' ? [outcomeUnknown(attempt, cause, soonOrHinted(payout, given))] : [];
}

function returnedToQueue(
  cause: string,
  retryAfterMs: number | undefined,
  payout: UndecidedPayout,
  { now, chance, rules }: Given,
): PayoutEvent {
  const { sendBefore } = payout.instruction;
  const pause = retryAfterMs ?? pauseBefore(payout.attempts.length, rules.policy, chance);
  const retryAt = addMilliseconds(now, pause);
  return {
    type: 'ReturnedToQueue',
    cause,
    reviewAt: reviewOfUnsent(payout.instruction, now, rules),
    dueAt: retryAt < sendBefore ? retryAt : sendBefore,
  };
}

const outcomeUnknown = (attempt: number, cause: string, dueAt: Instant): PayoutEvent => ({
  type: 'OutcomeUnknown',
  attempt,
  cause,
  dueAt,
});

/** The first question of the plan, unless a hint that came before the answer has made one due already. */
const soonOrHinted = (payout: UndecidedPayout, given: Given): Instant =>
  payout.dueAt <= given.now ? payout.dueAt : nextLook({ ...payout, checksInRow: 0 }, given);
