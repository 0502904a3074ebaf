import { ledgerPayoutCancelRequestedV1 } from '@compasso/contracts';
import { type HandlerVerdict, on, type ReceivedEvent } from '@compasso/messaging';
import type { GatewayDesk } from '../postgres/gateway-desk.ts';

/** It comes behind the authorisation, on the same topic and under the same key, so the payout is known. */
export const onLedgerPayoutCancelRequested = on(
  ledgerPayoutCancelRequestedV1,
  ({ envelope }: ReceivedEvent, desk: GatewayDesk): HandlerVerdict => {
    const events = desk.decide(envelope.subject, { type: 'Cancel' });
    return events.length === 0 ? 'ignored' : 'applied';
  },
);
