// Takes deliveries in: judged, written together with those that come at the same moment, and answered once they are kept.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@compasso/kernel';
import { Gatherer } from '@compasso/messaging';
import { counter } from '@compasso/observability';
import { temporarilyUnavailable } from '@compasso/runtime/problems';
import type { ClaimedQuestion } from '../postgres/gateway-desk.ts';
import {
  type Delivery,
  type DeliveryParts,
  recordDeliveries,
  type RecordedDelivery,
} from '../postgres/record-deliveries.ts';
import { webhookStale, webhookUnsigned } from './refusals.ts';
import { readDelivery } from './webhook-delivery.ts';
import type { SignedDelivery } from './webhook-signature.ts';

export interface WebhookDoorParts extends DeliveryParts {
  readonly provider: string;
  readonly secrets: () => readonly string[];
  readonly clock: Clock;
  /** A question was committed and is to be put now. */
  readonly onQuestion: (question: ClaimedQuestion) => void;
  /** A question is due, for whoever has room first. */
  readonly onHint: () => void;
}

const limits = { deliveriesPerWriteMax: 200, waitingMax: 5_000 } as const;

const deliveries = counter('compasso_webhooks_total');

export class WebhookDoor {
  readonly #parts: WebhookDoorParts;
  readonly #kept: Gatherer<Delivery, RecordedDelivery>;

  constructor(parts: WebhookDoorParts) {
    this.#parts = parts;
    this.#kept = new Gatherer({
      sizeMax: limits.deliveriesPerWriteMax,
      write: (batch) => recordDeliveries(batch, parts),
      rest: { now: () => performance.now(), pause },
    });
  }

  /**
   * Answers once the delivery is kept.
   * @throws Problem 401 for what nobody we know has signed, 503 when it cannot be kept now
   */
  async take(signed: SignedDelivery): Promise<RecordedDelivery['verdict']> {
    if (this.#kept.length >= limits.waitingMax) throw temporarilyUnavailable();
    const { provider, secrets, clock } = this.#parts;
    const delivery = readDelivery(signed, { provider, secrets: secrets(), now: clock.now() });
    const recorded = await this.#kept.add(delivery);
    const { verdict } = delivery;
    // A forgery that comes again is kept once and refused again.
    const isForeign = verdict === 'signature_invalid' || verdict === 'timestamp_out_of_range';
    deliveries.add(1, { provider, verdict: isForeign ? verdict : recorded.verdict });
    if (verdict === 'signature_invalid') throw webhookUnsigned();
    if (verdict === 'timestamp_out_of_range') throw webhookStale();
    this.#followUp(recorded);
    return recorded.verdict;
  }

  #followUp({ verdict, question }: RecordedDelivery): void {
    if (question !== undefined) this.#parts.onQuestion(question);
    else if (verdict === 'hint') this.#parts.onHint();
  }
}
