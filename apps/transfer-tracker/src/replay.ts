// The entry of `npm run replay -- --service transfer-tracker`: the environment of a replica, and this service's own handlers. What they
// emit leaves through the relay of the replicas that run.
import { replayProcess } from '@compasso/messaging';
import { readConfig } from '@compasso/runtime/config';
import { trackerMigrations } from './postgres/migrations.ts';
import { trackerSchema } from './transfer-tracker.config.ts';
import { trackerDefinition, trackerRules } from './transfer-tracker.definition.ts';

const config = readConfig(trackerSchema);
await replayProcess({
  service: 'transfer-tracker',
  level: config.logLevel,
  databaseUrl: config.databaseUrl.reveal(),
  migrations: trackerMigrations,
  definitionOf: () => trackerDefinition({ requestTeams: config.requestTeams, rules: trackerRules(config.timeScale) }),
});
