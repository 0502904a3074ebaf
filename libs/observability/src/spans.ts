// Spans over the OpenTelemetry API alone. Without an SDK nothing is recorded and a parent's
// traceparent passes through unchanged, so that the traces of neighbours stay connected through a
// service that does not export.
import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { withIds } from './span-ids.ts';
import type { SpanName } from './span-names.ts';
import { PassedOn } from './passed-on.ts';
import { contextOf, parseTraceparent, writeTraceparent } from './traceparent.ts';

export type SpanRole = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

export interface SpanOptions {
  /** A W3C traceparent. Missing or odd: the span is the root of a new trace. */
  readonly parent?: string | undefined;
  /** Instead of a parent: the traceparent that this span is known by, as the root of its trace. */
  readonly as?: string | undefined;
  readonly attributes?: Attributes;
  /** Traceparents of other traces that this span belongs to as well; odd ones are dropped. */
  readonly links?: readonly (string | undefined)[];
  /** Milliseconds since the epoch; now, when missing. */
  readonly startedAt?: number;
}

export interface SpanHandle {
  /** What goes with a message or call made on behalf of this span. */
  readonly traceparent: string | undefined;
  readonly traceId: string | undefined;
  /** Runs `work` with this span as the active one, for logs and `currentTraceparent`. */
  run<T>(work: () => T): T;
  set(attributes: Attributes): void;
  rename(name: SpanName): void;
  /**
   * Marks the span as failed by the error's code or name. Its message stays out: it may quote
   * personal data.
   */
  fail(error: unknown): void;
  end(at?: number): void;
}

const kinds: Readonly<Record<SpanRole, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

let recording = false;

/** Called when spans begin, and cease, to go somewhere. */
export function recordSpans(present: boolean): void {
  recording = present;
}

/**
 * Begins a span. The parent is the one given, never the active span: pass `currentTraceparent()` to
 * mean that.
 */
export function spanFrom(name: SpanName, role: SpanRole, options: SpanOptions = {}): SpanHandle {
  // Hot paths begin a span per message: what nobody will see must not be built.
  return recording ? recordedSpan(name, role, options) : new PassedOn(options);
}

function recordedSpan(name: SpanName, role: SpanRole, options: SpanOptions): SpanHandle {
  const known = parseTraceparent(options.as);
  const parent = known ? ROOT_CONTEXT : contextOf(options.parent);
  const start = () =>
    trace.getTracer('compasso').startSpan(
      name,
      {
        kind: kinds[role],
        root: parent === ROOT_CONTEXT,
        ...(options.attributes && { attributes: options.attributes }),
        ...(options.links && { links: linksOf(options.links) }),
        ...(options.startedAt !== undefined && { startTime: options.startedAt }),
      },
      parent,
    );
  return handleOf(known ? withIds(known, start) : start(), parent);
}

/** The traceparent of the active span, if there is one. */
export function currentTraceparent(): string | undefined {
  const active = trace.getActiveSpan();
  return active && writeTraceparent(active.spanContext());
}

/** The trace id of the active span, if there is one. */
export const currentTraceId = (): string | undefined => currentTraceparent()?.slice(3, 35);

function linksOf(traceparents: readonly (string | undefined)[]): Link[] {
  return traceparents.flatMap((one) => {
    const parsed = parseTraceparent(one);
    return parsed ? [{ context: parsed }] : [];
  });
}

function handleOf(span: Span, parent: Context): SpanHandle {
  const spanContext = span.spanContext();
  const traceparent = writeTraceparent(spanContext);
  const own = trace.setSpan(parent, span);
  return {
    traceparent,
    traceId: traceparent && spanContext.traceId,
    run: (work) => context.with(own, work),
    set: (attributes) => void span.setAttributes(attributes),
    rename: (name) => void span.updateName(name),
    fail: (error) => {
      span.setAttribute('error.type', errorType(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: (at) => span.end(at),
  };
}

function errorType(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'unknown';
}
