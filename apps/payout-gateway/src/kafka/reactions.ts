import { ledgerEvents } from '@compasso/contracts';
import type { SubscriptionDefinition } from '@compasso/messaging';
import type { GatewayDesk } from '../postgres/gateway-desk.ts';
import { onLedgerPayoutCancelRequested } from './on-ledger-payout-cancel-requested.ts';
import { type BoundProvider, onLedgerPayoutAuthorized } from './on-ledger-payout-authorized.ts';

/** Everything else that the ledger says is passed over. */
export const subscriptions = (provider: BoundProvider): readonly SubscriptionDefinition<GatewayDesk>[] => [
  { topic: ledgerEvents, reactions: [onLedgerPayoutAuthorized(provider), onLedgerPayoutCancelRequested], parks: true },
];
