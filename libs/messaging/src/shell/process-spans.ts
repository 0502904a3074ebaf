// One CONSUMER span per message, from just before its handler to the commit of the batch that it is part of.
import { createHash } from 'node:crypto';
import type { Envelope } from '@compasso/contracts';
import { type SpanHandle, spanFrom, type SpanOptions } from '@compasso/observability';
import type { DecodedRecord } from './incoming.ts';

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
  const decides = subscription.onInvalidCommand !== undefined;
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

/**
 * A team that has no trace of its own gets one: it begins where its request is decided, under ids that come from the
 * request's name, so that whoever else reads the request joins the same trace.
 */
function traceOf({ decoded, envelope }: DecodedRecord, decides: boolean): Pick<SpanOptions, 'parent' | 'as'> {
  const isRequest = 'contract' in decoded && decoded.contract.publisher === 'requester';
  if (envelope === undefined || envelope.traceparent !== undefined || !isRequest) {
    return { parent: envelope?.traceparent };
  }
  return decides ? { as: traceparentOf(envelope) } : { parent: traceparentOf(envelope) };
}

function traceparentOf({ source, id }: Envelope): string {
  const digest = createHash('sha256').update(`${source} ${id}`).digest('hex');
  return `00-${digest.slice(0, 32)}-${digest.slice(32, 48)}-01`;
}
