// The entry of `npm run replay -- --service transfer-tracker`: the environment of a replica, and this service's own handlers. What they
// emit leaves through the relay of the replicas that run.
import { CodedError } from '@compasso/kernel';
import { replayCommand } from '@compasso/messaging';
import { createLogger } from '@compasso/observability';
import { readConfig } from '@compasso/runtime/config';
import { trackerMigrations } from './postgres/migrations.ts';
import { trackerSchema } from './transfer-tracker.config.ts';
import { trackerDefinition, trackerRules } from './transfer-tracker.definition.ts';

const config = readConfig(trackerSchema);
const logger = createLogger({
  service: 'transfer-tracker',
  replica: 'replay',
  level: config.logLevel,
  destination: process.stderr,
});
const definition = trackerDefinition({ requestTeams: config.requestTeams, rules: trackerRules(config.timeScale) });
try {
  const isDone = await replayCommand({
    definition: definition,
    databaseUrl: config.databaseUrl.reveal(),
    migrations: trackerMigrations,
    words: process.argv.slice(2),
    logger,
    write: (text) => void process.stdout.write(text),
  });
  process.exitCode = isDone ? 0 : 1;
} catch (error) {
  process.stderr.write(`replay: ${error instanceof CodedError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
