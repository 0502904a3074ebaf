// What proves that a payout was paid, and what proves that it was not. Everything else keeps the money on hold:
// a timeout is not a failure, and "not found" alone is never proof (attacks W1, H1, H2, H10).
import type { Cents, Instant } from '@compasso/kernel';
import { everyNotSent, hasOutcome } from './attempt.ts';
import type { Capabilities } from './capabilities.ts';
import { type Destination, type KnownPayout, unsendableFrom } from './payout.ts';

export type Answer =
  | ({ readonly kind: 'processing' } & SeenOrder)
  | ({ readonly kind: 'paid'; readonly endToEndId: string } & SeenOrder)
  | ({ readonly kind: 'failed'; readonly code: string } & SeenOrder)
  | { readonly kind: 'not_found' }
  /** No answer, or none that can be read. */
  | { readonly kind: 'unknown'; readonly cause: string };

/** What an answer shows of the order, as far as the provider's capabilities say that it does. */
export interface SeenOrder {
  readonly amountCents?: Cents | undefined;
  readonly destination?: Destination | undefined;
}

/** When a question was put: nothing that became true later is proved by its answer. */
export interface Asked {
  readonly at: Instant;
  /** How many attempts there had been. */
  readonly attempts: number;
}

export type Proof =
  | { readonly of: 'paid'; readonly endToEndId: string; readonly evidence: 'query_paid' }
  | { readonly of: 'not_paid'; readonly code: string; readonly evidence: NotPaidEvidence };

export type NotPaidEvidence = 'query_failed' | 'call_refused' | 'never_sent' | 'payee_mismatch';

export type Mismatch = 'amount_mismatch' | 'destination_mismatch';

type OrderAnswer = Exclude<Answer, { readonly kind: 'not_found' | 'unknown' }>;

export const showsOrder = (answer: Answer): answer is OrderAnswer =>
  answer.kind !== 'not_found' && answer.kind !== 'unknown';

/** An order under our id with other content is not our order, whatever became of it. */
export function mismatchOf(
  payout: KnownPayout,
  answer: SeenOrder,
  capabilities: Capabilities,
): Mismatch | undefined {
  const { amountCents, payee } = payout.instruction;
  if (capabilities.showsAmount && answer.amountCents !== amountCents) return 'amount_mismatch';
  if (!capabilities.showsDestination) return undefined;
  const seen = answer.destination;
  const same = seen?.keyType === payee.keyType && seen.keyMasked === payee.keyMasked;
  return same ? undefined : 'destination_mismatch';
}

/** Paid, or rule (a): a question by our id says that it failed for good. The order must be ours. */
export function proofByAnswer(answer: OrderAnswer): Proof | undefined {
  switch (answer.kind) {
    case 'paid':
      return { of: 'paid', endToEndId: answer.endToEndId, evidence: 'query_paid' };
    case 'failed':
      return { of: 'not_paid', code: answer.code, evidence: 'query_failed' };
    case 'processing':
      return undefined;
  }
}

/**
 * Rule (b): the call itself was refused for good, the provider keeps nothing of refused calls, and no other call can
 * have left anything. After an unknown call a refusal may only say that the first one went through (attack H1).
 */
export function proofByRefusal(
  payout: KnownPayout,
  refused: { readonly attempt: number; readonly code: string },
  capabilities: Capabilities,
): Proof | undefined {
  if (!capabilities.refusedCallLeavesNothing || orderWasSeen(payout)) return undefined;
  const others = payout.attempts.filter(({ attempt }) => attempt !== refused.attempt);
  if (!others.every((one) => hasOutcome(one, 'not_sent', 'rejected'))) return undefined;
  return { of: 'not_paid', code: refused.code, evidence: 'call_refused' };
}

/**
 * Rule (c): nothing was ever sent, nothing can be sent any more, and where the provider can be asked, a question put
 * after that found nothing. The question guards against a database that forgot what it had sent (attack H2).
 */
export function proofOfNeverSent(
  payout: KnownPayout,
  last: { readonly asked: Asked; readonly answer: Answer } | undefined,
  capabilities: Capabilities,
): Proof | undefined {
  if (!everyNotSent(payout.attempts) || orderWasSeen(payout)) return undefined;
  const code = payout.cancelledAt === null ? 'send_before_passed' : 'cancelled_by_requester';
  const proof: Proof = { of: 'not_paid', code, evidence: 'never_sent' };
  if (!capabilities.queryableById) return proof;
  const isLastWord =
    last?.answer.kind === 'not_found' &&
    last.asked.attempts === payout.attempts.length &&
    last.asked.at >= unsendableFrom(payout);
  return isLastWord ? proof : undefined;
}

/** A payee that is not what the approver saw was refused by ourselves: nobody can ever have sent it (attack H11). */
export const proofOfMismatchedPayee = (payout: KnownPayout): Proof | undefined =>
  everyNotSent(payout.attempts)
    ? { of: 'not_paid', code: 'payee_mismatch', evidence: 'payee_mismatch' }
    : undefined;

/** Whether the provider ever said that it knows the order. */
export const orderWasSeen = (payout: KnownPayout): boolean =>
  payout.status === 'submitted' ||
  payout.review?.from === 'submitted' ||
  payout.attempts.some((one) => hasOutcome(one, 'accepted', 'already_exists'));
