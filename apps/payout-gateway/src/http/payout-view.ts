// A payout as operators see it: masks and codes, never the key and never a raw answer.
import { centsToWire, type Instant, instantToWire } from '@compasso/kernel';
import type { PayoutHistory } from '../postgres/payout-queries.ts';

export const payoutView = ({ instruction, payout, attempts, answers, deliveries }: PayoutHistory) => ({
  transferId: instruction.transferId,
  accountId: instruction.accountId,
  amountCents: centsToWire(instruction.amountCents),
  payee: { kind: 'key', keyType: instruction.keyType, keyMasked: instruction.keyMasked },
  ...(instruction.clientReference === null ? {} : { clientReference: instruction.clientReference }),
  provider: instruction.provider,
  providerOrderId: instruction.providerOrderId,
  state: payout.state,
  sendBefore: instantToWire(instruction.sendBefore),
  reviewAt: instantToWire(payout.reviewAt),
  ...optionalInstant('nextStepAt', payout.dueAt),
  ...(payout.endToEndId === null ? {} : { endToEndId: payout.endToEndId }),
  ...(payout.outcomeCode === null ? {} : { code: payout.outcomeCode }),
  ...(payout.evidence === null ? {} : { evidence: payout.evidence }),
  ...(payout.reviewCaseId === null
    ? {}
    : {
        review: { caseId: payout.reviewCaseId, from: payout.reviewedFrom, isOpen: payout.state === 'review' },
      }),
  createdAt: instantToWire(instruction.createdAt),
  updatedAt: instantToWire(payout.updatedAt),
  attempts: attempts.map((attempt) => ({
    attempt: attempt.attempt,
    outcome: attempt.outcome ?? 'open',
    ...(attempt.cause === null ? {} : { cause: attempt.cause }),
    ...(attempt.code === null ? {} : { code: attempt.code }),
    startedAt: instantToWire(attempt.startedAt),
    sendUntil: instantToWire(attempt.sendUntil),
    ...optionalInstant('finishedAt', attempt.finishedAt),
  })),
  answers: answers.map((answer) => ({
    check: answer.number,
    answer: answer.answer,
    ...(answer.code === null ? {} : { code: answer.code }),
    askedAt: instantToWire(answer.askedAt),
    answeredAt: instantToWire(answer.answeredAt),
  })),
  webhooks: deliveries.map((delivery) => ({
    verdict: delivery.verdict,
    ...(delivery.claimedStatus === null ? {} : { claimedStatus: delivery.claimedStatus }),
    receivedAt: instantToWire(delivery.receivedAt),
  })),
});

export type PayoutView = ReturnType<typeof payoutView>;

const optionalInstant = <Name extends string>(name: Name, at: Instant | null) =>
  (at === null ? {} : { [name]: instantToWire(at) }) as Partial<Record<Name, string>>;
