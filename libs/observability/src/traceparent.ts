// W3C Trace Context, version 00, read leniently: whatever is odd is nothing, and never an error.
import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  if (typeof text !== 'string' || text.length > 256) return undefined;
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, version, traceId, spanId, flags, more] = match;
  // Later versions may append fields; 00 may not, and ff is no version.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const parsed: SpanContext = {
    traceId: traceId ?? '',
    spanId: spanId ?? '',
    traceFlags: Number.parseInt(flags ?? '0', 16) & 1,
    isRemote: true,
  };
  return isSpanContextValid(parsed) ? parsed : undefined;
}

export function writeTraceparent(spanContext: SpanContext): string | undefined {
  if (!isSpanContextValid(spanContext)) return undefined;
  const flags = (spanContext.traceFlags & 1).toString().padStart(2, '0');
  return `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
}
