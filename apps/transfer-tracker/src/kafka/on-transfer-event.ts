import type { HandlerVerdict, ReceivedEvent } from '@compasso/messaging';
import type { TrackerDesk } from '../postgres/tracker-desk.ts';
import { factOf } from './fact.ts';
import { sagaEventOf, transferOf } from './saga-event-of.ts';

/** Everything that is said about a transfer: recorded and folded, whatever the order. */
export function onTransferEvent(event: ReceivedEvent, desk: TrackerDesk): HandlerVerdict {
  const fact = factOf(event);
  desk.record(fact);
  const transferId = transferOf(fact);
  // A refused command may name no transfer: then there is nothing to fold.
  return transferId === undefined ? 'applied' : desk.fold(transferId, sagaEventOf(fact), fact);
}
