// The entry of `npm run replay -- --service ledger`: the environment of a replica, and this service's own handlers. What they
// emit leaves through the relay of the replicas that run.
import { replayProcess } from '@compasso/messaging';
import { readConfig } from '@compasso/runtime/config';
import { watchContradictions } from './contradictions.ts';
import { ledgerSchema } from './ledger.config.ts';
import { decisionsOf } from './ledger.ts';
import { ledgerMigrations } from './postgres/migrations.ts';

const config = readConfig(ledgerSchema);
await replayProcess({
  service: 'ledger',
  level: config.logLevel,
  databaseUrl: config.databaseUrl.reveal(),
  migrations: ledgerMigrations,
  definitionOf: (logger) => decisionsOf(config, watchContradictions(logger)).definition,
});
