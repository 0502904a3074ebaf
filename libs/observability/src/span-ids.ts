// Ids of spans are random, except where several services must arrive at the same ones: a message that came without a
// trace begins one whose root is recorded by one service and found by the others from the message's name.
import type { SpanContext } from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

type Ids = Pick<SpanContext, 'traceId' | 'spanId'>;

let wanted: Ids | undefined;

/** The span that `start` begins, at once, gets these ids when it is the root of its trace. */
export function withIds<Started>(ids: Ids, start: () => Started): Started {
  wanted = ids;
  try {
    return start();
  } finally {
    wanted = undefined;
  }
}

export class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();

  generateTraceId(): string {
    return wanted?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return wanted?.spanId ?? this.#random.generateSpanId();
  }
}
