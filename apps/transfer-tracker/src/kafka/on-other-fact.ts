import type { HandlerVerdict, ReceivedEvent } from '@compasso/messaging';
import type { TrackerDesk } from '../postgres/tracker-desk.ts';
import { factOf } from './fact.ts';

/** Facts that belong to no saga (accounts, deposits): kept for whoever looks for a cause. */
export function onOtherFact(event: ReceivedEvent, desk: TrackerDesk): HandlerVerdict {
  desk.record(factOf(event));
  return 'applied';
}
