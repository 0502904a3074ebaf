// Keeps every delivery of a webhook, and makes the next question about its payout due now. That is all that a webhook can do.
import type { Executor } from '@compasso/messaging';
import { type DeskParts, openPayouts } from './gateway-desk.ts';
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
}

/** `duplicate`: kept before, and without effect now. */
export type RecordedVerdict = WebhookVerdict | 'duplicate';

export async function recordDeliveries(
  deliveries: readonly Delivery[],
  { executor, desk: deskParts, transferIdOf }: DeliveryParts,
): Promise<readonly RecordedVerdict[]> {
  const transferOf = ({ verdict, providerOrderId }: Delivery): string | undefined =>
    verdict === 'right' && providerOrderId !== null ? transferIdOf(providerOrderId) : undefined;
  return executor.execute(async (set) => {
    const named = deliveries.flatMap((delivery) => transferOf(delivery) ?? []);
    const desk = await openPayouts(set, deskParts, named);
    await set.lock(
      webhookDeliveryTable,
      deliveries.map(({ provider, deliveryId }) => [provider, deliveryId]),
    );
    return deliveries.map((delivery) => {
      const { verdict, ...rest } = delivery;
      if (set.get(webhookDeliveryTable, delivery.provider, delivery.deliveryId) !== undefined) return 'duplicate';
      const transferId = transferOf(delivery);
      const isKnown = transferId !== undefined && set.get(payoutTable, transferId) !== undefined;
      const kept: WebhookVerdict = verdict !== 'right' ? verdict : isKnown ? 'hint' : 'unknown_payout';
      set.put(webhookDeliveryTable, { ...rest, verdict: kept, receivedAt: set.instant });
      if (isKnown) desk.decide(transferId, { type: 'TakeHint' });
      return kept;
    });
  });
}
