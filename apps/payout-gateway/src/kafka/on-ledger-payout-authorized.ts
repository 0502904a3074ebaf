import { type DataOf, ledgerPayoutAuthorizedV1 } from '@compasso/contracts';
import { centsOf, instantFromWire } from '@compasso/kernel';
import { type HandlerVerdict, on, type ReceivedEvent } from '@compasso/messaging';
import { currentTraceparent } from '@compasso/observability';
import type { Instruction } from '../domain/payout.ts';
import type { GatewayDesk } from '../postgres/gateway-desk.ts';

/** The provider that new payouts are bound to, and their names in its alphabet. */
export interface BoundProvider {
  readonly name: string;
  readonly orderIdOf: (transferId: string) => string;
}

type Authorized = ReceivedEvent<DataOf<typeof ledgerPayoutAuthorizedV1>>;

/** The pivot. From here on the payout is ours to send, once, until `sendBefore`. */
export const onLedgerPayoutAuthorized = (provider: BoundProvider) =>
  on(ledgerPayoutAuthorizedV1, (event: Authorized, desk: GatewayDesk): HandlerVerdict => {
    const { subject } = event.envelope;
    const events = desk.decide(subject, {
      type: 'Authorize',
      instruction: instructionOf(event, provider, desk),
    });
    return events.length === 0 ? 'ignored' : 'applied';
  });

function instructionOf(
  { envelope, data }: Authorized,
  provider: BoundProvider,
  desk: GatewayDesk,
): Instruction {
  const { keyType, keyMasked, sealed } = data.payee;
  return {
    transferId: envelope.subject,
    accountId: data.accountId,
    amountCents: centsOf(data.amountCents),
    payee: { keyType, keyMasked, sealed },
    clientReference: data.clientReference ?? null,
    sendBefore: instantFromWire(data.sendBefore),
    provider: provider.name,
    providerOrderId: provider.orderIdOf(envelope.subject),
    authorizedEventId: envelope.id,
    // Calls and their events continue the trace of the span that handles this message.
    traceparent: currentTraceparent() ?? envelope.traceparent ?? null,
    queuedAt: desk.instant,
  };
}
