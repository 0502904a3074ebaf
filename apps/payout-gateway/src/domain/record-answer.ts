// What a question brought, and what it proves.
import { addMilliseconds, type Instant } from '@compasso/kernel';
import { endOf } from './attempt.ts';
import { conclude, goOn, nextLook, requireReview } from './conclusions.ts';
import type { Given } from './given.ts';
import { evolve, isUndecided, type KnownPayout, type PayoutEvent, type UndecidedPayout } from './payout.ts';
import { type Answer, type Asked, mismatchOf, proofByAnswer, proofOfNeverSent, showsOrder } from './proof.ts';
import { graceEndOf, sendAgainAfterNotFound } from './send-again.ts';

export interface RecordedAnswer {
  readonly asked: Asked;
  readonly answer: Answer;
  readonly sendAgain?: { readonly requestDigest: string; readonly knownOrderIsVisible: boolean };
}

export function recordAnswer(
  recorded: RecordedAnswer,
  payout: KnownPayout,
  given: Given,
): readonly PayoutEvent[] {
  const { answer, asked } = recorded;
  const answered: PayoutEvent = {
    type: 'Answered',
    number: payout.checks + 1,
    answer: answer.kind,
    code: codeOf(answer),
    askedAt: asked.at,
    at: given.now,
  };
  const after = evolve(payout, answered);
  // Terminal states never change: the answer is kept and nothing follows (field failure F-02).
  if (!isUndecided(after)) return [answered];
  const isNews = payout.lastAnswer !== answer.kind || isPowerOfTwo(after.checks);
  const events = consequences(recorded, after, given, isNews);
  return [
    answered,
    ...(payout.question === 'hinted' ? events.map((event) => askAgain(event, given)) : events),
  ];
}

/** A hint came after the question was put: the answer may be older than the news. */
const askAgain = (event: PayoutEvent, { now }: Given): PayoutEvent =>
  event.type === 'StillUndecided' || event.type === 'OrderAccepted' ? { ...event, dueAt: now } : event;

const codeOf = (answer: Answer): string | null => {
  if (answer.kind === 'failed') return answer.code;
  return answer.kind === 'unknown' ? answer.cause : null;
};

const isPowerOfTwo = (value: number): boolean => (value & (value - 1)) === 0;

function consequences(
  recorded: RecordedAnswer,
  payout: UndecidedPayout,
  given: Given,
  isNews: boolean,
): readonly PayoutEvent[] {
  const { answer } = recorded;
  if (!showsOrder(answer)) return nothingSeen(recorded, payout, given, isNews);
  const mismatch = mismatchOf(payout, answer, given.rules.capabilities);
  if (mismatch !== undefined) return foreignOrder(mismatch, payout, given, isNews);
  const proof = proofByAnswer(answer);
  return proof === undefined ? seen(payout, given, isNews) : conclude(payout, proof);
}

/** The provider has our order and it has not ended. */
function seen(payout: UndecidedPayout, given: Given, isNews: boolean): readonly PayoutEvent[] {
  if (payout.status === 'submitted') return [goOn(payout, given, { isNews })];
  const attempt = Math.max(1, payout.attempts.length);
  if (payout.status !== 'review') {
    const dueAt = nextLook({ ...payout, checksInRow: 0 }, given);
    return [{ type: 'OrderAccepted', attempt, dueAt }];
  }
  const accepted: PayoutEvent = { type: 'OrderAccepted', attempt, dueAt: payout.dueAt };
  return [accepted, goOn(payout, given, { isNews })];
}

/** Somebody used our id, or we wrote the wrong amount: nothing is settled or released on that (attack H10). */
function foreignOrder(
  mismatch: string,
  payout: UndecidedPayout,
  given: Given,
  isNews: boolean,
): readonly PayoutEvent[] {
  if (payout.status !== 'review') return [requireReview(mismatch, 'submitted', given)];
  const accepted: PayoutEvent = {
    type: 'OrderAccepted',
    attempt: Math.max(1, payout.attempts.length),
    dueAt: payout.dueAt,
  };
  return [accepted, goOn(payout, given, { isNews })];
}

function nothingSeen(
  recorded: RecordedAnswer,
  payout: UndecidedPayout,
  given: Given,
  isNews: boolean,
): readonly PayoutEvent[] {
  const proof = proofOfNeverSent(payout, recorded, given.rules.capabilities);
  if (proof !== undefined) return conclude(payout, proof);
  if (payout.status === 'sending') return [awaitCall(payout, given)];
  if (recorded.answer.kind !== 'not_found') return [goOn(payout, given, { isNews })];
  const permitted = sendAgainAfterNotFound(payout, recorded.asked, given.now, given.rules);
  if (permitted === 'never') return [requireReview('not_found', 'unknown', given)];
  if (permitted === 'later') {
    return [goOn(payout, given, { isNews, notLaterThan: afterGrace(payout, given) })];
  }
  const again = recorded.sendAgain;
  const isPastDeadline = given.now >= payout.reviewAt;
  if (again?.knownOrderIsVisible !== true || isPastDeadline) return [goOn(payout, given, { isNews })];
  return [sendAgain(again.requestDigest, payout, given)];
}

/** A question that a hint caused while the call is still open: the call itself will say more. */
const awaitCall = (payout: UndecidedPayout, { now, rules }: Given): PayoutEvent => {
  const open = payout.attempts.filter((one) => one.state === 'open').at(-1);
  const dueAt = open === undefined ? now : endOf(open, rules.policy.callTimeoutMs);
  return { type: 'StillUndecided', dueAt, isNews: false };
};

/** While "not found" means nothing yet, the plan is kept, but the end of the grace is not slept through. */
function afterGrace(payout: UndecidedPayout, given: Given): Instant {
  const graceEnd = graceEndOf(payout, given.rules);
  return graceEnd > given.now ? graceEnd : payout.reviewAt;
}

/** Same id, same bytes. The deadline for review keeps counting from the first call. */
function sendAgain(requestDigest: string, payout: UndecidedPayout, { now, rules }: Given): PayoutEvent {
  const sendUntil = addMilliseconds(now, rules.policy.sendWindowMs);
  return {
    type: 'AttemptStarted',
    attempt: payout.attempts.length + 1,
    startedAt: now,
    sendUntil,
    requestDigest,
    firstAttemptAt: payout.firstAttemptAt ?? now,
    reviewAt: payout.reviewAt,
    dueAt: addMilliseconds(sendUntil, rules.policy.callTimeoutMs),
  };
}
