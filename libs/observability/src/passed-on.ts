// The span of a process that records none: it hands on its parent's traceparent, so that the traces
// of neighbours stay connected through it, and works nothing out before it is asked.
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { SpanHandle } from './spans.ts';
import { contextOf, parseTraceparent, writeTraceparent } from './traceparent.ts';

interface Ancestry {
  readonly parent?: string | undefined;
  readonly as?: string | undefined;
}

export class PassedOn implements SpanHandle {
  readonly #parent: string | undefined;

  constructor({ parent, as }: Ancestry) {
    // A root that nobody records has no identity, whatever it would have been known by.
    this.#parent = parseTraceparent(as) ? undefined : parent;
  }

  get traceparent(): string | undefined {
    const parsed = parseTraceparent(this.#parent);
    return parsed && writeTraceparent(parsed);
  }

  get traceId(): string | undefined {
    return parseTraceparent(this.#parent)?.traceId;
  }

  run<T>(work: () => T): T {
    const own = contextOf(this.#parent);
    return own === ROOT_CONTEXT && context.active() === own ? work() : context.with(own, work);
  }

  set(): void {}
  rename(): void {}
  fail(): void {}
  end(): void {}
}
