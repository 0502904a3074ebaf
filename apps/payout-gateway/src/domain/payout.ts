// What is true of one payout: the instruction that the ledger gave, every call made for it, and what is known of its end.
import { type Cents, type Instant, invariant, unreachable } from '@compasso/kernel';
import {
  type Attempt,
  closed,
  hasOutcome,
  started,
} from './attempt.ts';
import type { PayoutEvent } from './payout-event.ts';

export type { CancelRefusal, PayoutEvent } from './payout-event.ts';

export interface Instruction {
  readonly transferId: string;
  readonly accountId: string;
  readonly amountCents: Cents;
  readonly payee: SealedDestination;
  readonly clientReference: string | null;
  /** Nothing is sent for the first time after this instant, whoever replays the instruction. */
  readonly sendBefore: Instant;
  /** Bound here, once, for ever: a payout never changes its provider or its name there. */
  readonly provider: string;
  readonly providerOrderId: string;
  readonly authorizedEventId: string;
  readonly traceparent: string | null;
  readonly queuedAt: Instant;
}

export interface Destination {
  readonly keyType: string;
  readonly keyMasked: string;
}

export interface SealedDestination extends Destination {
  readonly sealed: string;
}

export type OpenStatus = 'queued' | 'sending' | 'submitted' | 'unknown';

export const questionStates = ['none', 'under_way', 'hinted'] as const;
export type QuestionState = (typeof questionStates)[number];

export interface Review {
  readonly caseId: string;
  /** What was true when a person was called, kept up to date by later answers. */
  readonly from: OpenStatus;
}

interface Known {
  readonly instruction: Instruction;
  /** In order, numbered from 1. */
  readonly attempts: readonly Attempt[];
  readonly checks: number;
  /** Checks since the last attempt began or the order was first seen: the pauses grow with these. */
  readonly checksInRow: number;
  readonly lastAnswer: string | null;
  /** Whether somebody is asking at this moment, until `dueAt`, and whether a hint has come since. */
  readonly question: QuestionState;
  /** Of the first call that may have left something; null while every call is known not to have been sent. */
  readonly firstAttemptAt: Instant | null;
  readonly reviewAt: Instant;
  readonly review: Review | null;
  /** When the payer gave the payout up before anything had left: nothing is sent from then on. */
  readonly cancelledAt: Instant | null;
}

export interface OpenPayout extends Known {
  readonly status: OpenStatus;
  readonly dueAt: Instant;
}
export interface PayoutInReview extends Known {
  readonly status: 'review';
  readonly dueAt: Instant;
  readonly review: Review;
}
export interface ConfirmedPayout extends Known {
  readonly status: 'confirmed';
  readonly endToEndId: string;
  readonly evidence: string;
}
export interface RejectedPayout extends Known {
  readonly status: 'rejected';
  readonly code: string;
  readonly evidence: string;
}

export type UndecidedPayout = OpenPayout | PayoutInReview;
export type KnownPayout = UndecidedPayout | ConfirmedPayout | RejectedPayout;
export type Payout = { readonly status: 'none' } | KnownPayout;

export const noPayout: Payout = { status: 'none' };

/** Nothing is sent for the first time from this instant on. */
export const unsendableFrom = ({ instruction, cancelledAt }: KnownPayout): Instant =>
  cancelledAt !== null && cancelledAt < instruction.sendBefore ? cancelledAt : instruction.sendBefore;

export const isUndecided = (payout: Payout): payout is UndecidedPayout =>
  payout.status !== 'none' && payout.status !== 'confirmed' && payout.status !== 'rejected';

export function evolve(payout: Payout, event: PayoutEvent): Payout {
  if (event.type === 'PayoutQueued') {
    invariant(payout.status === 'none', 'a payout is queued once');
    return queued(event);
  }
  invariant(payout.status !== 'none', 'nothing happens to a payout before it is queued');
  switch (event.type) {
    case 'AttemptStarted':
      return attemptStarted(payout, event);
    case 'AttemptClosed':
      return {
        ...payout,
        attempts: payout.attempts.map((one) => (one.attempt === event.attempt ? closed(one, event) : one)),
      };
    case 'Answered':
      return {
        ...payout,
        checks: event.number,
        checksInRow: payout.checksInRow + 1,
        lastAnswer: event.answer,
        question: 'none',
      };
    case 'HintKept':
      return { ...payout, question: 'hinted' };
    case 'ReviewClosed':
    case 'CancelRefused':
      return payout;
    case 'PayoutConfirmed':
      return {
        ...ended(payout),
        status: 'confirmed',
        endToEndId: event.endToEndId,
        evidence: event.evidence,
      };
    case 'PayoutRejected':
      return { ...ended(payout), status: 'rejected', code: event.code, evidence: event.evidence };
    default:
      return evolveUndecided(undecided(payout), event);
  }
}

type UndecidedEvent = Extract<
  PayoutEvent,
  {
    type:
      | 'ReturnedToQueue'
      | 'OrderAccepted'
      | 'OutcomeUnknown'
      | 'QuestionAsked'
      | 'StillUndecided'
      | 'HintReceived'
      | 'ReviewRequired'
      | 'PayoutCancelled';
  }
>;

function evolveUndecided(payout: UndecidedPayout, event: UndecidedEvent): UndecidedPayout {
  if (event.type === 'PayoutCancelled') return cancelled(payout, event.at);
  const { dueAt } = event;
  switch (event.type) {
    case 'QuestionAsked':
      return { ...payout, dueAt, question: 'under_way' };
    case 'StillUndecided':
    case 'HintReceived':
      return { ...payout, dueAt };
    case 'OrderAccepted':
      if (payout.status === 'review') {
        return { ...payout, dueAt, review: { ...payout.review, from: 'submitted' } };
      }
      return { ...payout, status: 'submitted', checksInRow: 0, dueAt };
    case 'OutcomeUnknown':
      invariant(payout.status !== 'review', 'a review is not forgotten');
      return { ...payout, status: 'unknown', checksInRow: 0, dueAt };
    case 'ReturnedToQueue':
      invariant(payout.status !== 'review', 'a review is not forgotten');
      return {
        ...payout,
        status: 'queued',
        lastAnswer: event.cause,
        firstAttemptAt: null,
        reviewAt: event.reviewAt,
        dueAt,
      };
    case 'ReviewRequired':
      invariant(payout.status !== 'review', 'one case at a time');
      return { ...payout, status: 'review', dueAt, review: { caseId: event.caseId, from: event.from } };
    default:
      return unreachable(event);
  }
}

function cancelled(payout: UndecidedPayout, at: Instant): UndecidedPayout {
  invariant(payout.status === 'queued', 'only what waits to be sent is given up');
  return { ...payout, cancelledAt: at, dueAt: at };
}

function queued(event: Extract<PayoutEvent, { type: 'PayoutQueued' }>): OpenPayout {
  return {
    status: 'queued',
    instruction: event.instruction,
    attempts: [],
    checks: 0,
    checksInRow: 0,
    lastAnswer: null,
    question: 'none',
    firstAttemptAt: null,
    reviewAt: event.reviewAt,
    review: null,
    cancelledAt: null,
    dueAt: event.dueAt,
  };
}

function attemptStarted(
  payout: KnownPayout,
  event: Extract<PayoutEvent, { type: 'AttemptStarted' }>,
): OpenPayout {
  invariant(payout.status === 'queued' || payout.status === 'unknown', 'a call needs permission');
  invariant(event.attempt === payout.attempts.length + 1, 'attempts are numbered in order');
  invariant(
    payout.attempts.every((one) => one.state === 'closed'),
    'one call at a time',
  );
  invariant(
    payout.attempts.every((one) => one.requestDigest === event.requestDigest || hasOutcome(one, 'not_sent')),
    'what is sent again is what was sent',
  );
  return {
    ...payout,
    status: 'sending',
    attempts: [...payout.attempts, started(event)],
    checksInRow: 0,
    firstAttemptAt: event.firstAttemptAt,
    reviewAt: event.reviewAt,
    dueAt: event.dueAt,
  };
}

/** Terminal states never change (field failure F-02). */
function undecided(payout: KnownPayout): UndecidedPayout {
  invariant(isUndecided(payout), 'an ended payout stays as it ended', { status: payout.status });
  return payout;
}

function ended(payout: KnownPayout): Known {
  const known = undecided(payout);
  return {
    instruction: known.instruction,
    attempts: known.attempts,
    checks: known.checks,
    checksInRow: known.checksInRow,
    lastAnswer: known.lastAnswer,
    question: 'none',
    firstAttemptAt: known.firstAttemptAt,
    reviewAt: known.reviewAt,
    review: known.review,
    cancelledAt: known.cancelledAt,
  };
}
