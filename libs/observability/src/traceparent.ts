// W3C Trace Context, version 00, read leniently: whatever is odd is nothing, and never an error.
import {
  type Context,
  INVALID_SPANID,
  INVALID_TRACEID,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
} from '@opentelemetry/api';

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  if (typeof text !== 'string' || text.length > 256) return undefined;
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, version, traceId, spanId, flags, more] = match;
  // Later versions may append fields; 00 may not, and ff is no version.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  // The shape has seen to the digits; only an identity of zeros is left to be none.
  if (!traceId || !spanId || traceId === INVALID_TRACEID || spanId === INVALID_SPANID) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16) & 1, isRemote: true };
}

export function writeTraceparent(spanContext: SpanContext): string | undefined {
  if (!isSpanContextValid(spanContext)) return undefined;
  const flags = (spanContext.traceFlags & 1).toString().padStart(2, '0');
  return `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
}

/** With the span of that traceparent active; with none, when it is odd. */
export function contextOf(traceparent: string | undefined): Context {
  const remote = parseTraceparent(traceparent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}
