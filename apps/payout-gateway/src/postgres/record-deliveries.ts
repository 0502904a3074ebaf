// Keeps every delivery of a webhook, and makes the next question about its payout due now. That is all that a webhook can do.
// Where there is room the question is committed right here, which saves the worker a look at the queue.
import type { Executor } from '@compasso/messaging';
import { type ClaimedQuestion, type DeskParts, openPayouts } from './gateway-desk.ts';
import { payoutTable, webhookDeliveryTable, type webhookVerdicts } from './tables.ts';

export type WebhookVerdict = (typeof webhookVerdicts)[number];

export interface Delivery {
  readonly provider: string;
  readonly deliveryId: string;
  readonly providerOrderId: string | null;
  readonly claimedStatus: string | null;
  readonly verdict: 'right' | Exclude<WebhookVerdict, 'hint' | 'unknown_payout'>;
}

export interface DeliveryParts {
  readonly executor: Executor;
  readonly desk: DeskParts;
  readonly transferIdOf: (orderId: string) => string | undefined;
  /** How many questions could be put at once. */
  readonly roomForQuestions: () => number;
}

export interface RecordedDelivery {
  /** `duplicate`: kept before, and without effect now. */
  readonly verdict: WebhookVerdict | 'duplicate';
  readonly question?: ClaimedQuestion | undefined;
}

export async function recordDeliveries(
  deliveries: readonly Delivery[],
  parts: DeliveryParts,
): Promise<readonly RecordedDelivery[]> {
  const transferOf = ({ verdict, providerOrderId }: Delivery): string | undefined =>
    verdict === 'right' && providerOrderId !== null ? parts.transferIdOf(providerOrderId) : undefined;
  return parts.executor.execute(async (set) => {
    const named = deliveries.flatMap((delivery) => transferOf(delivery) ?? []);
    const desk = await openPayouts(set, parts.desk, named);
    // Kept for ever as they came, so there is nothing to lock: of two replicas that keep the same one, one is told.
    await set.read(
      webhookDeliveryTable,
      deliveries.map(({ provider, deliveryId }) => [provider, deliveryId]),
    );
    let room = parts.roomForQuestions();
    return deliveries.map((delivery): RecordedDelivery => {
      const { verdict, ...rest } = delivery;
      if (set.get(webhookDeliveryTable, delivery.provider, delivery.deliveryId) !== undefined) {
        return { verdict: 'duplicate' };
      }
      const transferId = transferOf(delivery);
      const isKnown = transferId !== undefined && set.get(payoutTable, transferId) !== undefined;
      const kept: WebhookVerdict = verdict !== 'right' ? verdict : isKnown ? 'hint' : 'unknown_payout';
      set.put(webhookDeliveryTable, { ...rest, verdict: kept, receivedAt: set.instant });
      if (!isKnown) return { verdict: kept };
      const isNews = desk
        .decide(transferId, { type: 'TakeHint' })
        .some(({ type }) => type === 'HintReceived');
      const question = isNews && room > 0 ? desk.askNow(transferId) : undefined;
      if (question !== undefined) room -= 1;
      return { verdict: kept, question };
    });
  });
}
