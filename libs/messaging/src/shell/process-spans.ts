// One CONSUMER span per message, from just before its handler to the commit of the batch that it is part of.
import { type SpanHandle, spanFrom } from '@compasso/observability';
import type { DecodedRecord } from './incoming.ts';

export interface ProcessSpans {
  begin(one: DecodedRecord): SpanHandle;
  /** Called once the batch's transaction has committed, or has failed. */
  endAll(error?: unknown): void;
}

export function processSpans(service: string, group: string, topic: string): ProcessSpans {
  const open: SpanHandle[] = [];
  return {
    begin(one) {
      const span = spanFrom(`process ${one.event?.contract.name ?? topic}`, 'consumer', {
        parent: one.envelope?.traceparent,
        attributes: {
          'compasso.service': service,
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
