// The gateway's own tables. The migration repeats the checks and uniques under the same names.
import { cents, defineTable, instant, integer, nullable, type RowOf, text, uuid } from '@compasso/messaging';

export const payoutStates = [
  'queued',
  /** Queued, and given up: it waits for the proof that nothing was sent, not for a free call. */
  'cancelled',
  'sending',
  'submitted',
  'unknown',
  'review',
  'confirmed',
  'rejected',
] as const;

const isTerminal = (state: string): boolean => state === 'confirmed' || state === 'rejected';

/** What the ledger asked for. Inserted with its payout and never changed, so that whoever has read it may keep it. */
export const instructionTable = defineTable({
  name: 'instruction',
  columns: {
    transferId: uuid,
    accountId: uuid,
    amountCents: cents,
    provider: text,
    providerOrderId: text,
    keyType: text,
    keyMasked: text,
    sealed: text,
    clientReference: nullable(text),
    sendBefore: instant,
    authorizedEventId: uuid,
    traceparent: nullable(text),
    createdAt: instant,
  },
  key: ['transferId'],
  uniques: [{ name: 'instruction_provider_order', columns: ['provider', 'providerOrderId'] }],
  checks: { instruction_amount_positive: (row) => row.amountCents > 0n },
  appendOnly: true,
});
export type InstructionRow = RowOf<typeof instructionTable>;

/** What becomes of it: narrow, because every step of a payout writes it anew. Its lock guards all that its transfer has. */
export const payoutTable = defineTable({
  name: 'payout',
  columns: {
    transferId: uuid,
    state: text,
    attempt: integer,
    firstAttemptAt: nullable(instant),
    reviewAt: instant,
    checks: integer,
    checksInRow: integer,
    lastAnswer: nullable(text),
    question: text,
    /** When somebody must do something about it; null: never again. */
    dueAt: nullable(instant),
    reviewCaseId: nullable(uuid),
    reviewedFrom: nullable(text),
    cancelledAt: nullable(instant),
    endToEndId: nullable(text),
    outcomeCode: nullable(text),
    evidence: nullable(text),
    sequence: integer,
    updatedAt: instant,
  },
  key: ['transferId'],
  uniques: [{ name: 'payout_review_case', columns: ['reviewCaseId'] }],
  checks: {
    payout_state_known: (row) => payoutStates.some((state) => state === row.state),
    payout_question_known: (row) => ['none', 'under_way', 'hinted'].includes(row.question),
    payout_due_unless_ended: (row) => isTerminal(row.state) === (row.dueAt === null),
    payout_confirmed_with_proof: (row) =>
      (row.state === 'confirmed') === (row.endToEndId !== null) &&
      (row.state !== 'confirmed' || row.evidence !== null),
    payout_rejected_with_proof: (row) =>
      (row.state === 'rejected') === (row.outcomeCode !== null) &&
      (row.state !== 'rejected' || row.evidence !== null),
    payout_review_has_case: (row) =>
      (row.reviewCaseId === null) === (row.reviewedFrom === null) &&
      (row.state !== 'review' || row.reviewCaseId !== null),
    payout_sends_an_attempt: (row) => row.state !== 'sending' || row.attempt > 0,
    payout_cancelled_is_not_sent: (row) =>
      (row.state !== 'cancelled' || row.cancelledAt !== null) &&
      (!['queued', 'sending'].includes(row.state) || row.cancelledAt === null),
  },
});
export type PayoutRow = RowOf<typeof payoutTable>;

export const attemptTable = defineTable({
  name: 'attempt',
  columns: {
    transferId: uuid,
    attempt: integer,
    state: text,
    outcome: nullable(text),
    cause: nullable(text),
    code: nullable(text),
    startedAt: instant,
    sendUntil: instant,
    finishedAt: nullable(instant),
    requestDigest: text,
  },
  key: ['transferId', 'attempt'],
  uniques: [{ name: 'attempt_one_open', columns: ['transferId'], where: (row) => row['state'] === 'open' }],
  checks: {
    attempt_numbered: (row) => row.attempt > 0,
    attempt_state_known: (row) => row.state === 'open' || row.state === 'closed',
    attempt_closed_with_outcome: (row) =>
      (row.state === 'closed') === (row.outcome !== null) &&
      (row.outcome === null) === (row.finishedAt === null),
    attempt_outcome_known: (row) =>
      row.outcome === null ||
      ['accepted', 'rejected', 'not_sent', 'already_exists', 'unknown'].includes(row.outcome),
  },
});
export type AttemptRow = RowOf<typeof attemptTable>;

/** What was asked and what came back, for ever and in order. Codes only: raw answers hold personal data. */
export const queryAnswerTable = defineTable({
  name: 'query_answer',
  columns: {
    transferId: uuid,
    number: integer,
    answer: text,
    code: nullable(text),
    askedAt: instant,
    answeredAt: instant,
  },
  key: ['transferId', 'number'],
  checks: { query_answer_numbered: (row) => row.number > 0 },
  appendOnly: true,
});

export const webhookVerdicts = [
  'hint',
  'unknown_payout',
  'unreadable',
  'signature_invalid',
  'timestamp_out_of_range',
] as const;

/**
 * Every delivery, also the forged ones. `deliveryId` is the provider's event id only where the signature was right:
 * a forger must not be able to use up the id of a true event.
 */
export const webhookDeliveryTable = defineTable({
  name: 'webhook_delivery',
  columns: {
    provider: text,
    deliveryId: text,
    providerOrderId: nullable(text),
    claimedStatus: nullable(text),
    verdict: text,
    receivedAt: instant,
  },
  key: ['provider', 'deliveryId'],
  checks: { webhook_verdict_known: (row) => webhookVerdicts.some((verdict) => verdict === row.verdict) },
  appendOnly: true,
});

export const gatewayTables = [
  instructionTable,
  payoutTable,
  attemptTable,
  queryAnswerTable,
  webhookDeliveryTable,
] as const;
