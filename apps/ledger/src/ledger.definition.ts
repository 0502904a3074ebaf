// What the ledger is to the shell: the same for the process, for tests and for the simulation.
import { sourceOfService } from '@compasso/contracts';
import type { ServiceDefinition } from '@compasso/messaging';
import type { Fingerprints } from './fingerprint.ts';
import type { RequestTeam } from './kafka/on-transfer-requested.ts';
import { ledgerSubscriptions, needsOf } from './kafka/reactions.ts';
import type { DeskParts, LedgerDesk } from './postgres/ledger-desk.ts';
import { openLedgerDesk } from './postgres/open-ledger-desk.ts';

export interface LedgerParts extends DeskParts {
  readonly teams: readonly RequestTeam[];
  readonly fingerprints: Fingerprints;
}

export const ledgerDefinition = (parts: LedgerParts): ServiceDefinition<LedgerDesk> => ({
  name: 'ledger',
  source: sourceOfService('ledger'),
  openDesk: (set, references) => openLedgerDesk(set, references.flatMap(needsOf), parts),
  subscriptions: ledgerSubscriptions(parts.teams, parts.fingerprints),
});
