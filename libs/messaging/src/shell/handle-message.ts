// One message through its handler, in a batch or when it is replayed: the same choice of handler, the same span, and every
// event that it emits belongs to it and to its trace.
import { currentTraceparent } from '@compasso/observability';
import { CodedError } from '@compasso/kernel';
import type { DecodedRecord } from './incoming.ts';
import type { ProcessSpans } from './process-spans.ts';
import type { HandlerVerdict, SubscriptionDefinition } from './reaction.ts';
import type { WorkingSet } from './working-set.ts';

export interface Handling<Desk> {
  readonly subscription: SubscriptionDefinition<Desk>;
  readonly desk: Desk;
  readonly set: WorkingSet;
  readonly spans: ProcessSpans;
}

export function handleMessage<Desk>(one: DecodedRecord, handling: Handling<Desk>): HandlerVerdict {
  const { set, spans } = handling;
  const before = set.emissions.length;
  const span = spans.begin(one);
  const verdict = span.run(() => react(one, handling));
  const traceparent = span.traceparent ?? currentTraceparent();
  for (let at = before; at < set.emissions.length; at += 1) {
    const emitted = set.emissions[at]!;
    set.emissions[at] = {
      ...emitted,
      causationId: emitted.causationId ?? one.envelope?.id,
      traceparent: emitted.traceparent ?? traceparent,
    };
  }
  return verdict;
}

/** @throws CodedError with the reason of a message that has no handler because it cannot be read */
function react<Desk>({ decoded, event }: DecodedRecord, { subscription, desk }: Handling<Desk>): HandlerVerdict {
  if (decoded.kind === 'dead') throw new CodedError(decoded.reason, 'No readable message.', {});
  if (decoded.kind === 'invalid-data') {
    if (subscription.onInvalidCommand === undefined) throw new CodedError('data_invalid', 'No valid data.', {});
    if (subscription.onInvalidCommand === 'pass-over') return 'ignored';
    subscription.onInvalidCommand(decoded, desk);
    return 'applied';
  }
  if (event === undefined) return 'ignored';
  const reaction = subscription.reactions.find(({ contract }) => contract.type === event.envelope.type);
  if (reaction !== undefined) return reaction.handle(event, desk);
  return subscription.onOther?.(event, desk) ?? 'ignored';
}
