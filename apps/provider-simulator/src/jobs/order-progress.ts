// Ends orders when their instant has come.
import type { Clock, Instant, NewId } from '@compasso/kernel';
import type { CheckResult } from '@compasso/runtime';
import { end } from '../domain/payout.decide.ts';
import type { SimulatorStore } from '../sqlite/simulator-store.ts';
import { DueLoop } from './due-loop.ts';

const ordersPerTurnMax = 500;

export interface ProgressDependencies {
  readonly store: SimulatorStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly timeScale: number;
  /** Called after a turn that may have planned notifications. */
  readonly onEnded: () => void;
}

export class OrderProgress {
  readonly #dependencies: ProgressDependencies;
  readonly #loop: DueLoop;

  constructor(dependencies: ProgressDependencies) {
    this.#dependencies = dependencies;
    this.#loop = new DueLoop(dependencies.clock, () => this.#turn());
  }

  start(): void {
    this.#loop.wake();
  }

  /** An order that ends at this instant has been accepted. */
  expect(at: Instant): void {
    this.#loop.wakeAt(at);
  }

  check(): CheckResult {
    return this.#loop.check();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #turn(): Promise<Instant | undefined> {
    const { store, clock, newId, timeScale, onEnded } = this.#dependencies;
    const next = await store.inOneCommit(() => {
      const given = { now: clock.now(), newId, timeScale };
      for (const order of store.orders.due(given.now, ordersPerTurnMax)) {
        if (order.progress.status !== 'processing' || !order.progress.due) continue;
        store.apply(order.payoutId, end(order, order.progress.due.ending, given));
      }
      return store.orders.nextDueAt();
    });
    onEnded();
    return next;
  }
}
