// Everything that the ledger listens to. Held against the score: the same events, no more and no
// fewer.
import {
  payoutConfirmedV1,
  payoutEvents,
  payoutRejectedV1,
  transferCancelRequestedV1,
  transferRequestedV1,
  transferRequestsOf,
} from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import { type DeskReference, on, type SubscriptionDefinition } from '@compasso/messaging';
import type { Fingerprints } from '../fingerprint.ts';
import type { LedgerDesk } from '../postgres/ledger-desk.ts';
import type { DeskNeed } from '../postgres/open-ledger-desk.ts';
import { onPayoutConfirmed } from './on-payout-confirmed.ts';
import { onPayoutRejected } from './on-payout-rejected.ts';
import { onTransferCancelRequested } from './on-transfer-cancel-requested.ts';
import {
  onInvalidRequest,
  onTransferRequested,
  type RequestTeam,
} from './on-transfer-requested.ts';

export const ledgerSubscriptions = (
  teams: readonly RequestTeam[],
  fingerprints: Fingerprints,
): readonly SubscriptionDefinition<LedgerDesk>[] => [
  ...teams.map((team) => requestsOf(team, fingerprints)),
  {
    topic: payoutEvents,
    parks: true,
    reactions: [on(payoutConfirmedV1, onPayoutConfirmed), on(payoutRejectedV1, onPayoutRejected)],
  },
];

const requestsOf = (
  team: RequestTeam,
  fingerprints: Fingerprints,
): SubscriptionDefinition<LedgerDesk> => ({
  topic: transferRequestsOf(team.name),
  // Each command is a saga of its own: a dead one must not hold back what comes after it.
  parks: false,
  reactions: [
    on(transferRequestedV1, onTransferRequested(team, fingerprints)),
    on(transferCancelRequestedV1, onTransferCancelRequested(team)),
  ],
  onInvalidCommand: onInvalidRequest,
});

/** The rows that a message's handler will look at. Events without a handler here need none. */
export function needsOf({
  subject,
  accountId,
  contract,
  data,
}: DeskReference): readonly DeskNeed[] {
  if (data === undefined || accountId === undefined || !isUuid(accountId)) return [];
  const need = { accountId, transferId: subject };
  switch (contract?.type) {
    case transferRequestedV1.type:
      return [{ ...need, limits: 'use', cancellation: true }];
    case transferCancelRequestedV1.type:
      return [{ ...need, limits: 'give-back', cancellation: true }];
    case payoutConfirmedV1.type:
      return [{ ...need, limits: 'none' }];
    case payoutRejectedV1.type:
      return [{ ...need, limits: 'give-back' }];
    default:
      return [];
  }
}
