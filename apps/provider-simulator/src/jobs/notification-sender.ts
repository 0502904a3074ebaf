// Delivers webhooks: to one of the addresses after the other until one says 2xx, then again later,
// a bounded number of times. A delivery whose answer was lost by a crash is made again: at least
// once.
import { type Clock, type Instant, instantToWire } from '@compasso/kernel';
import { counter, spanFrom } from '@compasso/observability';
import type { CheckResult } from '@compasso/runtime';
import { Agent, request } from 'undici';
import { deliveryLimits, nextTry } from '../domain/delivery.ts';
import type { DueNotification } from '../sqlite/notification-table.ts';
import type { SimulatorStore } from '../sqlite/simulator-store.ts';
import { DueLoop } from './due-loop.ts';
import { sign } from './sign.ts';

const deliveriesInFlightMax = 64;
const connectionsPerAddressMax = 32;

const webhooks = counter('compasso_simulator_webhooks_total');

export interface SenderDependencies {
  readonly store: SimulatorStore;
  readonly clock: Clock;
  readonly timeScale: number;
  readonly secret: string;
  readonly urls: readonly string[];
}

export class NotificationSender {
  readonly #dependencies: SenderDependencies;
  readonly #loop: DueLoop;
  readonly #agent = new Agent({
    connections: connectionsPerAddressMax,
    pipelining: 1,
    connect: { timeout: deliveryLimits.timeoutMs },
  });
  readonly #inFlight = new Map<number, Promise<void>>();
  /** Deliveries begin at the next address each time, so that replicas share them. */
  #turns = 0;
  #stopped = false;

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies;
    this.#loop = new DueLoop(dependencies.clock, () => this.#turn());
  }

  wake(): void {
    this.#loop.wake();
  }

  check(): CheckResult {
    return this.#loop.check();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop.stop();
    await Promise.all(this.#inFlight.values());
    await this.#agent.close();
  }

  async #turn(): Promise<Instant | undefined> {
    const { store, clock } = this.#dependencies;
    const now = clock.now();
    const free = deliveriesInFlightMax - this.#inFlight.size;
    if (free > 0) {
      // Those in flight are still due in the store and come first: they must not use up the limit.
      const due = store.notifications.due(now, deliveriesInFlightMax);
      for (const one of due.filter(({ number }) => !this.#inFlight.has(number)).slice(0, free)) {
        this.#begin(one);
      }
    }
    return store.notifications.nextDueAt(now);
  }

  #begin(notification: DueNotification): void {
    const delivery = this.#deliver(notification).then(() => {
      this.#inFlight.delete(notification.number);
      this.#loop.wake();
    });
    this.#inFlight.set(notification.number, delivery);
  }

  async #deliver(notification: DueNotification): Promise<void> {
    const { store, clock, timeScale } = this.#dependencies;
    const delivered = await this.#tryAddresses(notification);
    const attempts = notification.attempts + 1;
    const next = nextTry(
      { attempts, signature: notification.signature },
      { now: clock.now(), timeScale },
    );
    await store.inOneCommit(() => {
      if (delivered) store.notifications.delivered(notification.number);
      else store.notifications.failed(notification.number, next);
    });
    webhooks.add(1, { outcome: outcomeOf(delivered, next) });
  }

  async #tryAddresses(notification: DueNotification): Promise<boolean> {
    const { urls } = this.#dependencies;
    const first = this.#turns++;
    for (let step = 0; step < urls.length && !this.#stopped; step += 1) {
      if (await this.#post(urls[(first + step) % urls.length] ?? '', notification)) return true;
    }
    return false;
  }

  async #post(url: string, notification: DueNotification): Promise<boolean> {
    const { secret, clock } = this.#dependencies;
    const body = bodyOf(notification);
    const span = spanFrom('send-provider-webhook', 'client', { parent: notification.traceparent });
    const headers = {
      'content-type': 'application/json',
      ...sign(body, { secret, kind: notification.signature, now: clock.now() }),
      ...(span.traceparent && { traceparent: span.traceparent }),
    };
    const { timeoutMs } = deliveryLimits;
    try {
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        dispatcher: this.#agent,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      await answer.body.dump();
      return answer.statusCode >= 200 && answer.statusCode < 300;
    } catch (error) {
      // Nobody there, or no answer: the next address, or the next try, is the decision.
      span.fail(error);
      return false;
    } finally {
      span.end();
    }
  }
}

const outcomeOf = (delivered: boolean, next: Instant | undefined): string => {
  if (delivered) return 'delivered';
  return next === undefined ? 'given_up' : 'postponed';
};

const bodyOf = (notification: DueNotification): string =>
  JSON.stringify({
    id: notification.eventId,
    type: 'payout.updated',
    payoutId: notification.payoutId,
    status: notification.claims,
    occurredAt: instantToWire(notification.occurredAt),
  });
