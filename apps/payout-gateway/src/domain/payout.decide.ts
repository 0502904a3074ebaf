// What may happen to a payout, and what follows. Every door (a message, an answer, a timer, a webhook) comes through here.
import { addMilliseconds, type Instant, invariant, unreachable } from '@compasso/kernel';
import { endOf } from './attempt.ts';
import { cancelPayout } from './cancel.ts';
import { lookAgain, passTime, reviewOfUnsent } from './conclusions.ts';
import type { Given } from './given.ts';
import {
  type Instruction,
  isUndecided,
  type Payout,
  type PayoutEvent,
  type UndecidedPayout,
  unsendableFrom,
} from './payout.ts';
import type { Answer, Asked } from './proof.ts';
import { recordAnswer } from './record-answer.ts';
import { type CallOutcome, recordOutcome } from './record-outcome.ts';

export type PayoutCommand =
  | { readonly type: 'Authorize'; readonly instruction: Instruction }
  | { readonly type: 'StartAttempt'; readonly requestDigest: string }
  | { readonly type: 'RecordOutcome'; readonly attempt: number; readonly outcome: CallOutcome }
  | { readonly type: 'AskProvider' }
  | {
      readonly type: 'RecordAnswer';
      readonly asked: Asked;
      readonly answer: Answer;
      /** Whether a call could begin at once, and what it would send. */
      readonly sendAgain?: { readonly requestDigest: string; readonly knownOrderIsVisible: boolean };
    }
  /** The instant at which something was due has come. */
  | { readonly type: 'PassTime' }
  /** Somebody who may be right says that there is news. */
  | { readonly type: 'TakeHint' }
  /** The payer no longer wants it. */
  | { readonly type: 'Cancel' };

export function decide(command: PayoutCommand, payout: Payout, given: Given): readonly PayoutEvent[] {
  if (command.type === 'Authorize') return authorize(command.instruction, payout, given);
  invariant(payout.status !== 'none', 'only the ledger creates a payout');
  switch (command.type) {
    case 'StartAttempt':
      return startAttempt(command.requestDigest, payout, given);
    case 'RecordOutcome':
      return recordOutcome(command, payout, given);
    case 'RecordAnswer':
      return recordAnswer(command, payout, given);
    case 'AskProvider':
      return isUndecided(payout) ? [askProvider(given)] : [];
    case 'PassTime':
      return isUndecided(payout) ? passTime(payout, given) : [];
    case 'TakeHint':
      return takeHint(payout, given);
    case 'Cancel':
      return cancelPayout(payout, given.now);
    default:
      return unreachable(command);
  }
}

/**
 * What a payout that is due needs next. Past its deadline it is asked about once more before a person is called: after
 * an outage of ours most such payouts have long ended.
 */
export type NextStep = 'send' | 'ask' | 'pass-time' | 'nothing';

export function nextStepOf(payout: Payout, { now, rules }: Given): NextStep {
  if (!isUndecided(payout)) return 'nothing';
  if (payout.status === 'queued' && now < unsendableFrom(payout)) return 'send';
  if (hasExpiredAttempt(payout, now, rules.policy.callTimeoutMs)) return 'pass-time';
  return rules.capabilities.queryableById ? 'ask' : 'pass-time';
}

const hasExpiredAttempt = ({ attempts }: UndecidedPayout, now: Instant, callTimeoutMs: number): boolean =>
  attempts.some((one) => one.state === 'open' && endOf(one, callTimeoutMs) <= now);

/** The ledger may say it again under another id, for ever: the same transfer is the same payout (attack H12). */
function authorize(instruction: Instruction, payout: Payout, { now, rules }: Given): readonly PayoutEvent[] {
  if (payout.status !== 'none') {
    invariant(
      isSameInstruction(instruction, payout.instruction),
      'the ledger authorises a transfer once, with one content',
      { transferId: instruction.transferId },
    );
    return [];
  }
  return [
    { type: 'PayoutQueued', instruction, reviewAt: reviewOfUnsent(instruction, now, rules), dueAt: now },
  ];
}

const isSameInstruction = (left: Instruction, right: Instruction): boolean =>
  left.accountId === right.accountId &&
  left.amountCents === right.amountCents &&
  left.payee.keyType === right.payee.keyType &&
  left.payee.keyMasked === right.payee.keyMasked &&
  left.payee.sealed === right.payee.sealed &&
  left.sendBefore === right.sendBefore;

/** Only from `queued`, and never after `sendBefore` or a cancellation. The order may be sent again from `recordAnswer` alone. */
function startAttempt(requestDigest: string, payout: Payout, given: Given): readonly PayoutEvent[] {
  if (payout.status !== 'queued' || given.now >= unsendableFrom(payout)) return [];
  const { policy } = given.rules;
  const window = addMilliseconds(given.now, policy.sendWindowMs);
  const { sendBefore } = payout.instruction;
  const sendUntil = window < sendBefore ? window : sendBefore;
  return [
    {
      type: 'AttemptStarted',
      attempt: payout.attempts.length + 1,
      startedAt: given.now,
      sendUntil,
      requestDigest,
      firstAttemptAt: given.now,
      reviewAt: addMilliseconds(given.now, policy.reviewAfterMs),
      dueAt: addMilliseconds(sendUntil, policy.callTimeoutMs),
    },
  ];
}

/** Whoever asks has until then to record an answer; after that somebody else asks. */
const askProvider = ({ now, rules }: Given): PayoutEvent => ({
  type: 'QuestionAsked',
  at: now,
  dueAt: addMilliseconds(now, rules.policy.questionLeaseMs),
});

/**
 * A hint about a payout that has not been sent would only hasten the sending: it is passed over. One that comes while a
 * question is under way waits for its answer, which mostly is the news.
 */
function takeHint(payout: Payout, given: Given): readonly PayoutEvent[] {
  if (!isUndecided(payout) || payout.status === 'queued') return [];
  if (!given.rules.capabilities.queryableById || payout.dueAt <= given.now) return [];
  if (payout.question === 'none') return [lookAgain(given.now)];
  return payout.question === 'under_way' ? [{ type: 'HintKept' }] : [];
}
