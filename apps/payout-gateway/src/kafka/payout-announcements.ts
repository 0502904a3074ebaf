// What other services hear of a payout: domain events in the words of the contracts. Some are nobody's business.
import {
  type Contract,
  payoutCancelRefusedV1,
  payoutCheckedV1,
  payoutConfirmedV1,
  payoutOutcomeUnknownV1,
  payoutRejectedV1,
  payoutReviewClosedV1,
  payoutReviewRequiredV1,
  payoutSubmittedV1,
} from '@compasso/contracts';
import { centsToWire, instantToWire } from '@compasso/kernel';
import type { Emission } from '@compasso/messaging';
import type { KnownPayout, PayoutEvent } from '../domain/payout.ts';

/** Everything of an emission but its sequence, which is the row's. */
export type Announcement = Omit<Emission, 'sequence'>;

/** @param after the payout once the event has happened: its word is what the tracker folds */
export function announcementOf(event: PayoutEvent, after: KnownPayout): Announcement | undefined {
  switch (event.type) {
    case 'OrderAccepted':
      return after.status === 'submitted'
        ? announce(payoutSubmittedV1, after, submitted(event, after))
        : undefined;
    case 'OutcomeUnknown':
      return announce(payoutOutcomeUnknownV1, after, {
        attempt: event.attempt,
        cause: event.cause,
        nextCheckAt: instantToWire(event.dueAt),
        reviewAt: instantToWire(after.reviewAt),
      });
    case 'StillUndecided':
      return event.isNews ? checked(event, after) : undefined;
    case 'PayoutConfirmed':
      return announce(payoutConfirmedV1, after, { endToEndId: event.endToEndId, evidence: event.evidence });
    case 'PayoutRejected':
      return announce(payoutRejectedV1, after, { code: event.code, evidence: event.evidence });
    case 'ReviewRequired': {
      const data = { kind: event.kind, nextCheckAt: instantToWire(event.dueAt) };
      return { ...announce(payoutReviewRequiredV1, after, data), id: event.caseId };
    }
    case 'CancelRefused':
      return cancelRefused(event.reason, after);
    case 'ReviewClosed':
      return announce(payoutReviewClosedV1, after, { caseId: event.caseId, by: 'proof' });
    default:
      return undefined;
  }
}

const submitted = (
  event: Extract<PayoutEvent, { type: 'OrderAccepted' }>,
  { instruction, reviewAt }: KnownPayout,
) => ({
  attempt: event.attempt,
  provider: instruction.provider,
  providerOrderId: instruction.providerOrderId,
  nextCheckAt: instantToWire(event.dueAt),
  reviewAt: instantToWire(reviewAt),
});

/** Of a payout that nothing was sent for, there is no word yet that could be said. */
function checked(
  event: Extract<PayoutEvent, { type: 'StillUndecided' }>,
  after: KnownPayout,
): Announcement | undefined {
  if (after.status !== 'submitted' && after.status !== 'unknown' && after.status !== 'review')
    return undefined;
  return announce(payoutCheckedV1, after, {
    check: after.checks,
    answer: after.lastAnswer,
    nextCheckAt: instantToWire(event.dueAt),
  });
}

/** Caused by the message at hand. Of a call that is under way, there is no word yet either. */
function cancelRefused(reason: string, after: KnownPayout): Announcement {
  const word = after.status === 'sending' ? undefined : after.status;
  return { ...announce(payoutCancelRefusedV1, after, { reason, after: word }), causationId: undefined };
}

/** A payout's events belong to the authorisation that caused them and to its trace, whichever job came to them. */
function announce(contract: Contract, after: KnownPayout, data: object): Announcement {
  const { instruction } = after;
  return {
    contract,
    subject: instruction.transferId,
    key: instruction.accountId,
    causationId: instruction.authorizedEventId,
    traceparent: instruction.traceparent ?? undefined,
    data: {
      accountId: instruction.accountId,
      amountCents: centsToWire(instruction.amountCents),
      ...(instruction.clientReference === null ? {} : { clientReference: instruction.clientReference }),
      after: after.status,
      ...data,
    },
  };
}
