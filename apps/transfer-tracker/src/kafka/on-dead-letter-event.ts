// A service has set a message aside, or is done with it. The bytes stay with that service; here it is a case.
import type { DataOf, deadLetterClosedV1, deadLetterOpenedV1 } from '@compasso/contracts';
import type { HandlerVerdict, ReceivedEvent } from '@compasso/messaging';
import type { TrackerDesk } from '../postgres/tracker-desk.ts';
import { factOf } from './fact.ts';

export function onDeadLetterOpened(
  event: ReceivedEvent<DataOf<typeof deadLetterOpenedV1>>,
  desk: TrackerDesk,
): HandlerVerdict {
  const { envelope, data } = event;
  desk.record(factOf(event));
  desk.openCase({
    caseId: envelope.id,
    kind: 'dead_letter',
    source: envelope.source,
    reason: data.reason,
    transferId: data.transferId ?? null,
    accountId: data.accountId ?? null,
    at: event.brokerInstant,
  });
  return 'applied';
}

export function onDeadLetterClosed(
  event: ReceivedEvent<DataOf<typeof deadLetterClosedV1>>,
  desk: TrackerDesk,
): HandlerVerdict {
  const { envelope, data } = event;
  desk.record(factOf(event));
  desk.closeCase({
    caseId: data.caseId,
    kind: 'dead_letter',
    source: envelope.source,
    transferId: null,
    accountId: null,
    at: event.brokerInstant,
    by: data.by,
  });
  return 'applied';
}
