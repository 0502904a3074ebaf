// A payout that needs a person: a fact about the transfer like any other, and a case beside it.
import type { DataOf, payoutReviewClosedV1, payoutReviewRequiredV1 } from '@compasso/contracts';
import type { HandlerVerdict, ReceivedEvent } from '@compasso/messaging';
import type { TrackerDesk } from '../postgres/tracker-desk.ts';
import { onTransferEvent } from './on-transfer-event.ts';

export function onPayoutReviewRequired(
  event: ReceivedEvent<DataOf<typeof payoutReviewRequiredV1>>,
  desk: TrackerDesk,
): HandlerVerdict {
  const { envelope, data } = event;
  desk.openCase({
    caseId: envelope.id,
    kind: 'payout_review',
    source: envelope.source,
    reason: data.kind,
    transferId: envelope.subject,
    accountId: data.accountId,
    at: event.brokerInstant,
  });
  return onTransferEvent(event, desk);
}

export function onPayoutReviewClosed(
  event: ReceivedEvent<DataOf<typeof payoutReviewClosedV1>>,
  desk: TrackerDesk,
): HandlerVerdict {
  const { envelope, data } = event;
  desk.closeCase({
    caseId: data.caseId,
    kind: 'payout_review',
    source: envelope.source,
    transferId: envelope.subject,
    accountId: data.accountId,
    at: event.brokerInstant,
    by: data.by,
  });
  return onTransferEvent(event, desk);
}
