// The gateway as the shell sees it: the same for the process, for tests and for the simulation.
import { sourceOfService } from '@compasso/contracts';
import type { ServiceDefinition } from '@compasso/messaging';
import type { BoundProvider } from './kafka/on-ledger-payout-authorized.ts';
import { subscriptions } from './kafka/reactions.ts';
import { type DeskParts, type GatewayDesk, openDeskWith } from './postgres/gateway-desk.ts';

export interface GatewayParts extends DeskParts {
  readonly provider: BoundProvider;
}

export const payoutGateway = (parts: GatewayParts): ServiceDefinition<GatewayDesk> => ({
  name: 'payout-gateway',
  source: sourceOfService('payout-gateway'),
  openDesk: openDeskWith(parts),
  subscriptions: subscriptions(parts.provider),
});
