// Rows to states and back. What the types of the domain rule out is asserted here, where rows come from outside.
import { type Instant, invariant } from '@compasso/kernel';
import { type Attempt, type AttemptOutcome, attemptOutcomes } from '../domain/attempt.ts';
import {
  type Instruction,
  isUndecided,
  type KnownPayout,
  type OpenStatus,
  questionStates,
  type QuestionState,
  type Review,
} from '../domain/payout.ts';
import type { AttemptRow, InstructionRow, PayoutRow } from './tables.ts';

export interface RowStamps {
  readonly sequence: number;
  readonly updatedAt: Instant;
}

export function payoutOfRow(
  row: PayoutRow,
  instruction: Instruction,
  attempts: readonly AttemptRow[],
): KnownPayout {
  invariant(attempts.length === row.attempt, 'every attempt has a row', { transferId: row.transferId });
  const known = {
    instruction,
    attempts: attempts.map(attemptOfRow),
    checks: row.checks,
    checksInRow: row.checksInRow,
    lastAnswer: row.lastAnswer,
    question: questionOf(row.question),
    firstAttemptAt: row.firstAttemptAt,
    reviewAt: row.reviewAt,
    review: reviewOf(row),
    cancelledAt: row.cancelledAt,
  };
  switch (row.state) {
    case 'confirmed':
      return {
        ...known,
        status: 'confirmed',
        endToEndId: present(row.endToEndId),
        evidence: present(row.evidence),
      };
    case 'rejected':
      return {
        ...known,
        status: 'rejected',
        code: present(row.outcomeCode),
        evidence: present(row.evidence),
      };
    case 'review':
      return { ...known, status: 'review', dueAt: present(row.dueAt), review: present(known.review) };
    default:
      return { ...known, status: openStatus(row.state === 'cancelled' ? 'queued' : row.state), dueAt: present(row.dueAt) };
  }
}

export function rowOfPayout(payout: KnownPayout, { sequence, updatedAt }: RowStamps): PayoutRow {
  const { instruction, review } = payout;
  return {
    transferId: instruction.transferId,
    state: payout.status === 'queued' && payout.cancelledAt !== null ? 'cancelled' : payout.status,
    attempt: payout.attempts.length,
    firstAttemptAt: payout.firstAttemptAt,
    reviewAt: payout.reviewAt,
    checks: payout.checks,
    checksInRow: payout.checksInRow,
    lastAnswer: payout.lastAnswer,
    question: payout.question,
    dueAt: isUndecided(payout) ? payout.dueAt : null,
    reviewCaseId: review?.caseId ?? null,
    reviewedFrom: review?.from ?? null,
    cancelledAt: payout.cancelledAt,
    endToEndId: payout.status === 'confirmed' ? payout.endToEndId : null,
    outcomeCode: payout.status === 'rejected' ? payout.code : null,
    evidence: payout.status === 'confirmed' || payout.status === 'rejected' ? payout.evidence : null,
    sequence,
    updatedAt,
  };
}

export const instructionOfRow = (row: InstructionRow): Instruction => ({
  transferId: row.transferId,
  accountId: row.accountId,
  amountCents: row.amountCents,
  payee: { keyType: row.keyType, keyMasked: row.keyMasked, sealed: row.sealed },
  clientReference: row.clientReference,
  sendBefore: row.sendBefore,
  provider: row.provider,
  providerOrderId: row.providerOrderId,
  authorizedEventId: row.authorizedEventId,
  traceparent: row.traceparent,
  queuedAt: row.createdAt,
});

export function rowOfInstruction({ payee, queuedAt, ...rest }: Instruction): InstructionRow {
  return { ...rest, ...payee, createdAt: queuedAt };
}

export const attemptOfRow = (row: AttemptRow): Attempt => {
  const { attempt, startedAt, sendUntil, requestDigest, cause, code } = row;
  const start = { attempt, startedAt, sendUntil, requestDigest };
  if (row.state === 'open') return { ...start, state: 'open' };
  const outcome = outcomeOf(row.outcome);
  return { ...start, state: 'closed', outcome, cause, code, finishedAt: present(row.finishedAt) };
};

export const rowOfAttempt = (transferId: string, attempt: Attempt): AttemptRow => ({
  transferId,
  attempt: attempt.attempt,
  state: attempt.state,
  outcome: attempt.state === 'closed' ? attempt.outcome : null,
  cause: attempt.state === 'closed' ? attempt.cause : null,
  code: attempt.state === 'closed' ? attempt.code : null,
  startedAt: attempt.startedAt,
  sendUntil: attempt.sendUntil,
  finishedAt: attempt.state === 'closed' ? attempt.finishedAt : null,
  requestDigest: attempt.requestDigest,
});

const reviewOf = ({ reviewCaseId, reviewedFrom }: PayoutRow): Review | null =>
  reviewCaseId === null ? null : { caseId: reviewCaseId, from: openStatus(present(reviewedFrom)) };

const openStatuses: readonly OpenStatus[] = ['queued', 'sending', 'submitted', 'unknown'];

const openStatus = (text: string): OpenStatus => {
  const status = openStatuses.find((one) => one === text);
  invariant(status !== undefined, 'a row has a state that this build knows', { state: text });
  return status;
};

const questionOf = (text: string): QuestionState => {
  const question = questionStates.find((one) => one === text);
  invariant(question !== undefined, 'a row says whether it is being asked about', { question: text });
  return question;
};

const outcomeOf = (text: string | null): AttemptOutcome => {
  const outcome = attemptOutcomes.find((one) => one === text);
  invariant(outcome !== undefined, 'a closed attempt has an outcome');
  return outcome;
};

function present<Value>(value: Value | null): Value {
  invariant(value !== null, 'a column that this state needs is filled');
  return value;
}
