// The adapter of the reference provider: idempotent by our id for ever, can be asked by it, keeps nothing of what it refuses.
import { instantToWire, isUuid } from '@compasso/kernel';
import { Pool } from 'undici';
import type { Capabilities } from '../domain/capabilities.ts';
import { callHttp, type HttpCall } from './http-call.ts';
import type {
  Call,
  Listed,
  PayoutOrder,
  Period,
  Provider,
  Queried,
  Question,
  Submitted,
} from './provider.port.ts';
import { bodyOf, pathOf, readListed, readQueried, readSubmitted } from './reference-wire.ts';

export interface ReferenceOptions {
  readonly url: string;
  readonly apiKey: () => string;
  readonly notFoundGraceMs: number;
  readonly connectTimeoutMs: number;
  /** Calls and questions together; above it they would wait inside the client, where nobody counts them. */
  readonly connectionsMax: number;
}

/** The provider never forgets an id; we trust that for a day, as we would with providers that say so. */
const idempotencyMemoryMs = 24 * 3_600_000;

export class ReferenceProvider implements Provider {
  readonly name = 'reference';
  readonly capabilities: Capabilities;
  readonly #options: ReferenceOptions;
  readonly #pool: Pool;
  readonly #basePath: string;

  constructor(options: ReferenceOptions) {
    this.#options = options;
    this.capabilities = {
      idempotencyMemoryMs,
      refusedCallLeavesNothing: true,
      queryableById: true,
      notFoundGraceMs: options.notFoundGraceMs,
      showsAmount: true,
      showsDestination: true,
    };
    const { origin, pathname } = new URL(options.url);
    this.#basePath = pathname.replace(/\/+$/, '');
    this.#pool = new Pool(origin, {
      connections: options.connectionsMax,
      pipelining: 1,
      connect: { timeout: options.connectTimeoutMs },
      // Each call has a clock of its own; two would only disagree.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** UUIDs are this provider's alphabet. */
  orderIdOf(transferId: string): string {
    return transferId;
  }

  transferIdOf(orderId: string): string | undefined {
    const folded = orderId.toLowerCase();
    return isUuid(folded) ? folded : undefined;
  }

  async submit(order: PayoutOrder, call: Call): Promise<Submitted> {
    const body = bodyOf(order);
    const headers = { ...this.#headers(call), 'content-type': 'application/json' };
    const { timeoutMs, mayStart } = call;
    const path = pathOf(order.orderId);
    return readSubmitted(
      await this.#call({ method: 'PUT', path, headers, body, timeoutMs, mayStart }),
      order.orderId,
    );
  }

  async query(orderId: string, question: Question): Promise<Queried> {
    return readQueried(await this.#get(pathOf(orderId), question), orderId);
  }

  async list({ from, to, cursor }: Period, question: Question): Promise<Listed> {
    const search = new URLSearchParams({ from: instantToWire(from), to: instantToWire(to) });
    if (cursor !== undefined) search.set('cursor', cursor);
    return readListed(await this.#get(`/v1/payouts?${search.toString()}`, question));
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #get(path: string, question: Question) {
    return this.#call({
      method: 'GET',
      path,
      headers: this.#headers(question),
      timeoutMs: question.timeoutMs,
    });
  }

  #call(call: HttpCall) {
    return callHttp(this.#pool, { ...call, path: `${this.#basePath}${call.path}` });
  }

  #headers({ traceparent }: Question): Record<string, string> {
    return {
      authorization: `Bearer ${this.#options.apiKey()}`,
      accept: 'application/json',
      ...(traceparent === undefined ? {} : { traceparent }),
    };
  }
}
