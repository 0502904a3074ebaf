// A provider in memory that passes the behaviour suite: for unit tests and the simulation. What it does is told beforehand.
import { createHash } from 'node:crypto';
import { maskPixKey, type PixKey } from '@compasso/contracts';
import { type Cents, type Instant, instantOf, isUuid } from '@compasso/kernel';
import type { Capabilities } from '../domain/capabilities.ts';
import type { Answer } from '../domain/proof.ts';
import type { Call, Listed, PayoutOrder, Period, Provider, Queried, Submitted } from './provider.port.ts';

/** What befalls the next call for an order. Without one it is accepted and answered. */
export type MemoryFault =
  | 'silence_before'
  | 'silence_after'
  | 'reset_after'
  | 'error_before'
  | 'error_after'
  | 'unreadable_after'
  | 'refusal'
  | 'too_many_requests'
  | 'credentials_refused';

export type MemoryEnding = { readonly status: 'paid' } | { readonly status: 'failed'; readonly code: string };

interface MemoryOrder {
  readonly orderId: string;
  readonly amountCents: Cents;
  readonly keyType: string;
  readonly keyMasked: string;
  readonly requestDigest: string;
  readonly endToEndId: string;
  updatedAt: Instant;
  ending?: MemoryEnding;
}

const defaults: Capabilities = {
  idempotencyMemoryMs: 24 * 3_600_000,
  refusedCallLeavesNothing: true,
  queryableById: true,
  notFoundGraceMs: 180_000,
  showsAmount: true,
  showsDestination: true,
};

export class MemoryProvider implements Provider {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly #now: () => Instant;
  readonly #orders = new Map<string, MemoryOrder>();
  readonly #faults = new Map<string, MemoryFault[]>();
  readonly #hidden = new Set<string>();
  readonly #plans = new Map<string, MemoryEnding | 'never'>();
  /** Every call that arrived, in order: what a bank's own log would show. */
  readonly arrived: {
    readonly kind: 'submit' | 'query';
    readonly orderId: string;
    readonly digest?: string;
  }[] = [];

  constructor(options: { name?: string; capabilities?: Partial<Capabilities>; now?: () => Instant } = {}) {
    this.name = options.name ?? 'memory';
    this.capabilities = { ...defaults, ...options.capabilities };
    this.#now = options.now ?? (() => instantOf(Date.now()));
  }

  /** Each call for the order takes the next of these; after the last one it is served well. */
  befall(orderId: string, ...faults: readonly MemoryFault[]): void {
    this.#faults.set(orderId, [...faults]);
  }

  /** How an order will have ended by the time somebody asks; without a plan it waits for `end`. */
  plan(orderId: string, ending: MemoryEnding | 'never'): void {
    this.#plans.set(orderId, ending);
  }

  end(orderId: string, ending: MemoryEnding): void {
    const order = this.#orders.get(orderId);
    if (order === undefined || order.ending !== undefined) return;
    order.ending = ending;
    order.updatedAt = this.#now();
  }

  hide(orderId: string, isHidden: boolean): void {
    if (isHidden) this.#hidden.add(orderId);
    else this.#hidden.delete(orderId);
  }

  orderCount(orderId: string): number {
    return this.#orders.has(orderId) ? 1 : 0;
  }

  orderIdOf(transferId: string): string {
    return transferId;
  }

  transferIdOf(orderId: string): string | undefined {
    const folded = orderId.toLowerCase();
    return isUuid(folded) ? folded : undefined;
  }

  async submit(order: PayoutOrder, call: Call): Promise<Submitted> {
    const refused = call.mayStart();
    if (refused !== undefined) return { outcome: { kind: 'not_sent', cause: refused } };
    const digest = digestOf(order);
    this.arrived.push({ kind: 'submit', orderId: order.orderId, digest });
    const fault = this.#faults.get(order.orderId)?.shift();
    const keptOut = before(fault);
    if (keptOut !== undefined) return keptOut;
    const known = this.#orders.get(order.orderId) ?? this.#accept(order, digest);
    if (known.requestDigest !== digest) return { outcome: { kind: 'already_exists' } };
    return after(fault) ?? { outcome: { kind: 'accepted', isFinal: known.ending !== undefined } };
  }

  async query(orderId: string): Promise<Queried> {
    this.arrived.push({ kind: 'query', orderId });
    const planned = this.#plans.get(orderId);
    if (planned !== undefined && planned !== 'never') this.end(orderId, planned);
    const order = this.#hidden.has(orderId) ? undefined : this.#orders.get(orderId);
    return { answer: order === undefined ? { kind: 'not_found' } : answerOf(order) };
  }

  async list({ from, to }: Period): Promise<Listed> {
    const orders = [...this.#orders.values()]
      .filter(({ orderId, updatedAt }) => !this.#hidden.has(orderId) && updatedAt >= from && updatedAt < to)
      .sort((left, right) => left.updatedAt - right.updatedAt)
      .map((order) => ({ orderId: order.orderId, answer: answerOf(order), updatedAt: order.updatedAt }));
    return { kind: 'page', orders, nextCursor: null };
  }

  async close(): Promise<void> {
    return;
  }

  #accept(order: PayoutOrder, requestDigest: string): MemoryOrder {
    const accepted: MemoryOrder = {
      orderId: order.orderId,
      amountCents: order.amountCents,
      keyType: order.keyType,
      keyMasked: maskPixKey({ keyType: order.keyType as PixKey['keyType'], key: order.key }),
      requestDigest,
      endToEndId: `E00000000202601010000${order.orderId.replaceAll('-', '').slice(-11)}`,
      updatedAt: this.#now(),
    };
    this.#orders.set(order.orderId, accepted);
    return accepted;
  }
}

const unknown = (cause: string): Submitted => ({ outcome: { kind: 'unknown', cause } });

function before(fault: MemoryFault | undefined): Submitted | undefined {
  switch (fault) {
    case 'silence_before':
      return unknown('timeout');
    case 'error_before':
      return unknown('http_500');
    case 'refusal':
      return { outcome: { kind: 'rejected', code: 'AC03' } };
    case 'too_many_requests': {
      const holdBack = { because: 'too_many_requests', forMs: 1_000 } as const;
      return { outcome: { kind: 'not_sent', cause: 'too_many_requests', retryAfterMs: 1_000 }, holdBack };
    }
    case 'credentials_refused':
      return {
        outcome: { kind: 'not_sent', cause: 'credentials_refused' },
        holdBack: { because: 'credentials_refused' },
      };
    default:
      return undefined;
  }
}

function after(fault: MemoryFault | undefined): Submitted | undefined {
  switch (fault) {
    case 'silence_after':
      return unknown('timeout');
    case 'reset_after':
      return unknown('connection_reset');
    case 'error_after':
      return unknown('http_500');
    case 'unreadable_after':
      return unknown('unreadable_answer');
    default:
      return undefined;
  }
}

function answerOf(order: MemoryOrder): Answer {
  const { amountCents, keyType, keyMasked, endToEndId, ending } = order;
  const seen = { amountCents, destination: { keyType, keyMasked } };
  if (ending === undefined) return { kind: 'processing', ...seen };
  return ending.status === 'paid'
    ? { kind: 'paid', endToEndId, ...seen }
    : { kind: 'failed', code: ending.code, ...seen };
}

const digestOf = ({ orderId, amountCents, keyType, key }: PayoutOrder): string =>
  createHash('sha256')
    .update(JSON.stringify([orderId, Number(amountCents), keyType, key]))
    .digest('base64url');
