// Delivers webhooks: to one of the addresses after the other until one says 2xx, then again later,
// a bounded number of times. A delivery whose answer was lost by a crash is made again: at least
// once.
import { type Clock, type Instant, instantToWire } from '@compasso/kernel';
import { counter, spanFrom } from '@compasso/observability';
import type { CheckResult } from '@compasso/runtime';
import { nextTry } from '../domain/delivery.ts';
import type { PlannedNotification } from '../domain/payout.ts';
import type { SimulatorStore } from '../sqlite/simulator-store.ts';
import { DueLoop } from './due-loop.ts';
import { DueQueue } from './due-queue.ts';
import { sign } from './sign.ts';
import { WebhookAddress, webhookConnectionsMax } from './webhook-address.ts';

const deliveriesInFlightMax = webhookConnectionsMax;

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
  readonly #addresses: readonly WebhookAddress[];
  readonly #planned = new DueQueue<PlannedNotification>();
  readonly #inFlight = new Set<Promise<void>>();
  /** Deliveries begin at the next address each time, so that replicas share them. */
  #turns = 0;
  #stopped = false;

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies;
    this.#addresses = dependencies.urls.map((url) => new WebhookAddress(url));
    this.#loop = new DueLoop(dependencies.clock, () => this.#turn());
  }

  /** Takes up what an earlier process has left. */
  start(): void {
    this.expect(this.#dependencies.store.notifications.planned());
  }

  /** Notifications have been planned, and their plan committed. */
  expect(planned: readonly PlannedNotification[]): void {
    for (const one of planned) this.#planned.push(one.dueAt, one);
    this.#wake();
  }

  check(): CheckResult {
    return this.#loop.check();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop.stop();
    await Promise.all(this.#inFlight);
    await Promise.all(this.#addresses.map((address) => address.close()));
  }

  async #turn(): Promise<Instant | undefined> {
    const free = deliveriesInFlightMax - this.#inFlight.size;
    for (const one of this.#planned.take(this.#dependencies.clock.now(), free)) this.#begin(one);
    return this.#nextAt();
  }

  #wake(): void {
    const at = this.#nextAt();
    if (at !== undefined) this.#loop.wakeAt(at);
  }

  /** Nothing, while every place is taken: the next that ends one's delivery wakes us. */
  #nextAt(): Instant | undefined {
    return this.#inFlight.size < deliveriesInFlightMax ? this.#planned.firstAt : undefined;
  }

  #begin(notification: PlannedNotification): void {
    const delivery = this.#deliver(notification).then(() => {
      this.#inFlight.delete(delivery);
      this.#wake();
    });
    this.#inFlight.add(delivery);
  }

  async #deliver(notification: PlannedNotification): Promise<void> {
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
    if (!delivered && next) this.#planned.push(next, { ...notification, attempts, dueAt: next });
    webhooks.add(1, { outcome: outcomeOf(delivered, next) });
  }

  async #tryAddresses(notification: PlannedNotification): Promise<boolean> {
    const addresses = this.#addresses;
    const first = this.#turns++;
    const body = bodyOf(notification);
    for (let step = 0; step < addresses.length && !this.#stopped; step += 1) {
      const address = addresses[(first + step) % addresses.length];
      if (address && (await this.#post(address, notification, body))) return true;
    }
    return false;
  }

  async #post(
    address: WebhookAddress,
    { traceparent, signature: kind }: PlannedNotification,
    body: string,
  ): Promise<boolean> {
    const { secret, clock } = this.#dependencies;
    const span = spanFrom('send-provider-webhook', 'client', { parent: traceparent });
    const passedOn = span.traceparent;
    try {
      const status = await address.post(body, {
        'content-type': 'application/json',
        ...sign(body, { secret, kind, now: clock.now() }),
        ...(passedOn && { traceparent: passedOn }),
      });
      return status >= 200 && status < 300;
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

const bodyOf = (notification: PlannedNotification): string =>
  JSON.stringify({
    id: notification.eventId,
    type: 'payout.updated',
    payoutId: notification.payoutId,
    status: notification.claims,
    occurredAt: instantToWire(notification.occurredAt),
  });
