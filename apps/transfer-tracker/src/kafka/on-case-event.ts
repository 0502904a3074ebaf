// What waits for a person, or does so no longer: a case beside the fact. A review is a fact about its transfer as well; a dead
// letter is not, its bytes and its transfer stay with the service that set it aside.
import type { HandlerVerdict, ReceivedEvent } from '@compasso/messaging';
import type { TrackerDesk } from '../postgres/tracker-desk.ts';
import { caseStepOf } from './case-of.ts';
import { factOf } from './fact.ts';
import { onOtherFact } from './on-other-fact.ts';
import { onTransferEvent } from './on-transfer-event.ts';

export function onReviewEvent(event: ReceivedEvent, desk: TrackerDesk): HandlerVerdict {
  desk.keepCase(caseStepOf(factOf(event)));
  return onTransferEvent(event, desk);
}

export function onDeadLetterEvent(event: ReceivedEvent, desk: TrackerDesk): HandlerVerdict {
  desk.keepCase(caseStepOf(factOf(event)));
  return onOtherFact(event, desk);
}
