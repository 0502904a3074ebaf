// What can happen to a payout.
import type { Instant } from '@compasso/kernel';
import type { AttemptClosing, AttemptStart } from './attempt.ts';
import type { Instruction, OpenStatus } from './payout.ts';

export type PayoutEvent =
  | {
      readonly type: 'PayoutQueued';
      readonly instruction: Instruction;
      readonly reviewAt: Instant;
      readonly dueAt: Instant;
    }
  | ({
      readonly type: 'AttemptStarted';
      readonly firstAttemptAt: Instant;
      readonly reviewAt: Instant;
      readonly dueAt: Instant;
    } & AttemptStart)
  | ({ readonly type: 'AttemptClosed' } & AttemptClosing)
  | {
      readonly type: 'ReturnedToQueue';
      readonly reviewAt: Instant;
      readonly dueAt: Instant;
      readonly cause: string;
    }
  /** The provider has our order: it said so to a call or to a question. */
  | { readonly type: 'OrderAccepted'; readonly attempt: number; readonly dueAt: Instant }
  | {
      readonly type: 'OutcomeUnknown';
      readonly attempt: number;
      readonly cause: string;
      readonly dueAt: Instant;
    }
  | { readonly type: 'QuestionAsked'; readonly at: Instant; readonly dueAt: Instant }
  | {
      readonly type: 'Answered';
      readonly number: number;
      readonly answer: string;
      readonly code: string | null;
      readonly askedAt: Instant;
      readonly at: Instant;
    }
  | { readonly type: 'StillUndecided'; readonly dueAt: Instant; readonly isNews: boolean }
  | { readonly type: 'HintReceived'; readonly dueAt: Instant }
  /** A question is under way already: if its answer decides nothing, the next one is put at once. */
  | { readonly type: 'HintKept' }
  | { readonly type: 'PayoutConfirmed'; readonly endToEndId: string; readonly evidence: string }
  | { readonly type: 'PayoutRejected'; readonly code: string; readonly evidence: string }
  | {
      readonly type: 'ReviewRequired';
      readonly caseId: string;
      readonly kind: string;
      readonly from: OpenStatus;
      readonly dueAt: Instant;
    }
  | { readonly type: 'ReviewClosed'; readonly caseId: string }
  | { readonly type: 'PayoutCancelled'; readonly at: Instant }
  /** Something may have left: the payer has to wait for the end. */
  | { readonly type: 'CancelRefused'; readonly reason: CancelRefusal };

/** What a payout was doing when it could no longer be given up. */
export type CancelRefusal = 'sending' | 'submitted' | 'outcome_unknown' | 'under_review' | 'already_paid';
