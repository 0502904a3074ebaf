// How a payout ends, comes before a person, or goes on being asked about.
import { addMilliseconds, evolveAll, type Instant } from '@compasso/kernel';
import { endOf } from './attempt.ts';
import { jittered, pauseBefore } from './backoff.ts';
import type { Given, Rules } from './given.ts';
import {
  evolve,
  type Instruction,
  isUndecided,
  type OpenStatus,
  type Payout,
  type PayoutEvent,
  type UndecidedPayout,
  unsendableFrom,
} from './payout.ts';
import { type Proof, proofOfNeverSent } from './proof.ts';

/** Proof ends a payout, and closes the case if a person was called before it came. */
export function conclude(payout: UndecidedPayout, proof: Proof): readonly PayoutEvent[] {
  const end: PayoutEvent =
    proof.of === 'paid'
      ? { type: 'PayoutConfirmed', endToEndId: proof.endToEndId, evidence: proof.evidence }
      : { type: 'PayoutRejected', code: proof.code, evidence: proof.evidence };
  return payout.review === null ? [end] : [end, { type: 'ReviewClosed', caseId: payout.review.caseId }];
}

/** The hold is kept, slow questions go on, and late proof still decides. */
export const requireReview = (kind: string, from: OpenStatus, given: Given): PayoutEvent => ({
  type: 'ReviewRequired',
  caseId: given.caseId,
  kind,
  from,
  dueAt: slowly(given),
});

/** Of a payout of which nothing was sent: counted from when nothing can be sent any more. */
export const reviewOfUnsent = ({ sendBefore }: Instruction, now: Instant, { policy }: Rules): Instant =>
  addMilliseconds(Math.max(sendBefore, now) as Instant, policy.reviewAfterMs);

/** Nothing is proved: the payout is looked at again later, or by a person when its time is up. */
export function goOn(
  payout: UndecidedPayout,
  given: Given,
  { isNews, notLaterThan }: { readonly isNews: boolean; readonly notLaterThan?: Instant },
): PayoutEvent {
  if (payout.status === 'review') return { type: 'StillUndecided', dueAt: slowly(given), isNews };
  if (given.now >= payout.reviewAt) return requireReview('deadline', payout.status, given);
  return { type: 'StillUndecided', dueAt: nextLook(payout, given, notLaterThan), isNews };
}

/** The next question of the plan, and never later than the deadline. */
export function nextLook(
  payout: UndecidedPayout,
  given: Given,
  notLaterThan: Instant = payout.reviewAt,
): Instant {
  const pause = pauseBefore(payout.checksInRow + 1, given.rules.policy, given.chance);
  const planned = addMilliseconds(given.now, pause);
  const latest = Math.min(payout.reviewAt, Math.max(notLaterThan, given.now)) as Instant;
  return planned < latest ? planned : latest;
}

export const lookAgain = (now: Instant): PayoutEvent => ({ type: 'HintReceived', dueAt: now });

/** An attempt that nobody recorded is unknown; a deadline that has passed calls a person (field failure F-06). */
export function passTime(payout: UndecidedPayout, given: Given): readonly PayoutEvent[] {
  const expired = expireAttempts(payout, given);
  const after: Payout = evolveAll<Payout, PayoutEvent>(evolve, payout, expired);
  return isUndecided(after) ? [...expired, ...passDeadlines(after, given)] : expired;
}

function expireAttempts(payout: UndecidedPayout, { now, rules }: Given): readonly PayoutEvent[] {
  const expired = payout.attempts.filter(
    (one) => one.state === 'open' && endOf(one, rules.policy.callTimeoutMs) <= now,
  );
  const events: PayoutEvent[] = expired.map(({ attempt }) => ({
    type: 'AttemptClosed',
    attempt,
    outcome: 'unknown',
    cause: noOutcomeRecorded,
    code: null,
    finishedAt: now,
  }));
  const last = expired.at(-1);
  if (last === undefined || payout.status !== 'sending') return events;
  return [...events, { type: 'OutcomeUnknown', attempt: last.attempt, cause: noOutcomeRecorded, dueAt: now }];
}

const noOutcomeRecorded = 'no_outcome_recorded';

function passDeadlines(payout: UndecidedPayout, given: Given): readonly PayoutEvent[] {
  const isUnsendable = payout.status === 'queued' && given.now >= unsendableFrom(payout);
  if (isUnsendable) {
    const proof = proofOfNeverSent(payout, undefined, given.rules.capabilities);
    if (proof !== undefined) return conclude(payout, proof);
  }
  const canExpire = isUnsendable || payout.status === 'submitted' || payout.status === 'unknown';
  if (canExpire && given.now >= payout.reviewAt) return [requireReview('deadline', payout.status, given)];
  return given.rules.capabilities.queryableById ? [] : [awaitDeadline(payout, given)];
}

/** A provider that cannot be asked has nothing to say before a person must look. */
const awaitDeadline = (payout: UndecidedPayout, given: Given): PayoutEvent => ({
  type: 'StillUndecided',
  dueAt: payout.status === 'review' ? slowly(given) : payout.reviewAt,
  isNews: false,
});

const slowly = ({ now, chance, rules }: Given): Instant =>
  addMilliseconds(now, jittered(rules.policy.slowQueryMs, chance));
