// Ends orders when their instant has come.
import type { Clock, Instant, NewId } from '@compasso/kernel';
import type { CheckResult } from '@compasso/runtime';
import { end } from '../domain/payout.decide.ts';
import type { Order, PlannedNotification } from '../domain/payout.ts';
import type { SimulatorStore } from '../sqlite/simulator-store.ts';
import { DueLoop } from './due-loop.ts';
import { DueQueue } from './due-queue.ts';

const ordersPerTurnMax = 500;

export interface ProgressDependencies {
  readonly store: SimulatorStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly timeScale: number;
  /** Told of the notifications that a turn has planned. */
  readonly onPlanned: (planned: readonly PlannedNotification[]) => void;
}

export class OrderProgress {
  readonly #dependencies: ProgressDependencies;
  readonly #loop: DueLoop;
  readonly #payoutIds = new DueQueue<string>();

  constructor(dependencies: ProgressDependencies) {
    this.#dependencies = dependencies;
    this.#loop = new DueLoop(dependencies.clock, () => this.#turn());
  }

  /** Takes up what an earlier process has left. */
  start(): void {
    for (const order of this.#dependencies.store.orders.due()) this.expect(order);
  }

  /** An order has been accepted, and its acceptance committed. */
  expect({ payoutId, progress }: Order): void {
    if (progress.status !== 'processing' || !progress.due) return;
    this.#payoutIds.push(progress.due.at, payoutId);
    this.#loop.wakeAt(progress.due.at);
  }

  check(): CheckResult {
    return this.#loop.check();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #turn(): Promise<Instant | undefined> {
    const { store, clock, newId, timeScale, onPlanned } = this.#dependencies;
    const due = this.#payoutIds.take(clock.now(), ordersPerTurnMax);
    const planned = await store.inOneCommit(() => {
      const given = { now: clock.now(), newId, timeScale };
      return due.flatMap((payoutId) => {
        const payout = store.orders.payout(payoutId);
        if (payout.situation !== 'ordered') return [];
        const { progress } = payout.order;
        // An operator of the simulator may have ended it before.
        if (progress.status !== 'processing' || !progress.due) return [];
        return store.apply(payoutId, end(payout.order, progress.due.ending, given));
      });
    });
    onPlanned(planned);
    return this.#payoutIds.firstAt;
  }
}
