// One CONSUMER span per message, from just before its handler to the commit of the batch that it is part of.
import { type SpanHandle, spanFrom, type SpanOptions } from '@compasso/observability';
import type { DecodedRecord } from './incoming.ts';
import { isTraceOfItsOwn } from './request-trace.ts';

export interface ProcessSpans {
  begin(one: DecodedRecord): SpanHandle;
  /** Called once the batch's transaction has committed, or has failed. */
  endAll(error?: unknown): void;
}

export interface ProcessPlace {
  readonly service: { readonly name: string };
  readonly group: string;
  /** Whoever answers commands that it cannot read is the one who decides them. */
  readonly subscription: { readonly topic: { readonly name: string }; readonly onInvalidCommand?: unknown };
}

export function processSpans({ service, group, subscription }: ProcessPlace): ProcessSpans {
  const topic = subscription.topic.name;
  const decides = typeof subscription.onInvalidCommand === 'function';
  const open: SpanHandle[] = [];
  return {
    begin(one) {
      const span = spanFrom(`process ${one.event?.contract.name ?? topic}`, 'consumer', {
        ...traceOf(one, decides),
        attributes: {
          'compasso.service': service.name,
          'compasso.subject': one.envelope?.subject ?? '',
          'messaging.system': 'kafka',
          'messaging.operation.type': 'process',
          'messaging.destination.name': topic,
          'messaging.consumer.group.name': group,
          'messaging.destination.partition.id': String(one.partition),
          'messaging.kafka.offset': Number(one.record.offset),
          'messaging.message.id': one.envelope?.id ?? '',
        },
      });
      open.push(span);
      return span;
    },
    endAll(error) {
      for (const span of open) {
        if (error !== undefined) span.fail(error);
        span.end();
      }
      open.length = 0;
    },
  };
}

/** Whoever only reads a request along joins the trace; whoever decides it is where the trace begins. */
function traceOf({ envelope }: DecodedRecord, decides: boolean): Pick<SpanOptions, 'parent' | 'as'> {
  const isRoot = decides && envelope !== undefined && isTraceOfItsOwn(envelope);
  return isRoot ? { as: envelope.traceparent } : { parent: envelope?.traceparent };
}
