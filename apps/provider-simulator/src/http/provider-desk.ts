// What happens to a call, in one commit: outage or decision, what it changes, and the record of the
// call. Whoever asks is answered only after that.
import type { Clock, Instant, NewId } from '@compasso/kernel';
import { counter } from '@compasso/observability';
import {
  type Answer,
  query,
  refusal,
  submit,
  type SubmitPayout,
  unserved,
} from '../domain/payout.decide.ts';
import type { Order, PayoutEvent } from '../domain/payout.ts';
import type { ListedOrder, ListPosition, ListQuery } from '../sqlite/order-table.ts';
import type { SimulatorStore } from '../sqlite/simulator-store.ts';

export interface CallFacts {
  readonly method: string;
  readonly path: string;
  readonly payoutId?: string;
  readonly bodyDigest?: string;
}

export interface Page {
  readonly kind: 'page';
  readonly orders: readonly Order[];
  readonly next?: ListPosition;
}

export interface DeskDependencies {
  readonly store: SimulatorStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly timeScale: number;
  /** Told of each new order. */
  readonly onAccepted: (order: Order) => void;
}

type Operation = 'submit' | 'query' | 'list' | 'other';

const calls = counter('compasso_simulator_calls_total');

export class ProviderDesk {
  readonly #dependencies: DeskDependencies;

  constructor(dependencies: DeskDependencies) {
    this.#dependencies = dependencies;
  }

  async submit(request: SubmitPayout, facts: CallFacts): Promise<Answer> {
    const { store, newId, timeScale, onAccepted } = this.#dependencies;
    const { answer, events } = await this.#inOneCommit('submit', facts, (now) => {
      const given = { now, newId, timeScale, rules: store.settings.current.rules };
      const decision = submit(request, store.orders.payout(request.payoutId), given);
      store.apply(request.payoutId, decision.events);
      return decision;
    });
    for (const event of events) {
      if (event.type === 'OrderAccepted') onAccepted(event.order);
    }
    return answer;
  }

  async query(payoutId: string, facts: CallFacts): Promise<Answer> {
    const { orders } = this.#dependencies.store;
    const { answer } = await this.#inOneCommit('query', facts, (now) => ({
      answer: query(orders.payout(payoutId), now),
    }));
    return answer;
  }

  async list(asked: Omit<ListQuery, 'visibleAt'>, facts: CallFacts): Promise<Answer | Page> {
    const { orders } = this.#dependencies.store;
    const { answer } = await this.#inOneCommit('list', facts, (now) => ({
      answer: pageOf(
        orders.list({ ...asked, visibleAt: now, limit: asked.limit + 1 }),
        asked.limit,
      ),
    }));
    return answer;
  }

  /** A call that is refused before anything is decided: no key, no such route, not a request. */
  async refuse(status: number, code: string, facts: CallFacts): Promise<Answer> {
    const { answer } = await this.#inOneCommit('other', facts, () => ({
      answer: refusal(status, code),
    }));
    return answer;
  }

  async #inOneCommit<Served extends Answer | Page>(
    operation: Operation,
    facts: CallFacts,
    decide: (now: Instant) => { readonly answer: Served; readonly events?: readonly PayoutEvent[] },
  ): Promise<{ readonly answer: Served | Answer; readonly events: readonly PayoutEvent[] }> {
    const { store, clock } = this.#dependencies;
    const decision = await store.inOneCommit(() => {
      const now = clock.now();
      const { outage } = store.settings.current;
      const { answer, events = [] } = outage ? { answer: unserved(outage) } : decide(now);
      store.calls.record({ at: now, ...facts, answer: answerWord(answer) });
      return { answer, events };
    });
    calls.add(1, { operation, answer: answerWord(decision.answer) });
    return decision;
  }
}

/** One order more than the limit says that there is a next page. */
function pageOf(listed: readonly ListedOrder[], limit: number): Page {
  const shown = listed.slice(0, limit);
  const next = listed.length > limit ? shown.at(-1)?.position : undefined;
  return { kind: 'page', orders: shown.map(({ order }) => order), ...(next && { next }) };
}

/** How the record of calls names an answer. */
function answerWord(answer: Answer | Page): string {
  if (answer.kind === 'page') return '200';
  return answer.kind === 'order' || answer.kind === 'refusal' ? String(answer.status) : answer.kind;
}
