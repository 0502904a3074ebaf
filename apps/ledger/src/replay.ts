// The entry of `npm run replay -- --service ledger`: the environment of a replica, and this service's own handlers. What they
// emit leaves through the relay of the replicas that run.
import { CodedError } from '@compasso/kernel';
import { replayCommand } from '@compasso/messaging';
import { createLogger } from '@compasso/observability';
import { readConfig } from '@compasso/runtime/config';
import { watchContradictions } from './contradictions.ts';
import { ledgerSchema } from './ledger.config.ts';
import { decisionsOf } from './ledger.ts';
import { ledgerMigrations } from './postgres/migrations.ts';

const config = readConfig(ledgerSchema);
const logger = createLogger({
  service: 'ledger',
  replica: 'replay',
  level: config.logLevel,
  destination: process.stderr,
});
const { definition } = decisionsOf(config, watchContradictions(logger));
try {
  const isDone = await replayCommand({
    definition: definition,
    databaseUrl: config.databaseUrl.reveal(),
    migrations: ledgerMigrations,
    words: process.argv.slice(2),
    logger,
    write: (text) => void process.stdout.write(text),
  });
  process.exitCode = isDone ? 0 : 1;
} catch (error) {
  process.stderr.write(`replay: ${error instanceof CodedError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
