// The entry of `npm run replay -- --service payout-gateway`: the environment of a replica, and this service's own handlers. What they
// emit leaves through the relay of the replicas that run.
import { CodedError } from '@compasso/kernel';
import { replayCommand } from '@compasso/messaging';
import { createLogger } from '@compasso/observability';
import { readConfig } from '@compasso/runtime/config';
import { gatewaySchema } from './payout-gateway.config.ts';
import { decisionsOf } from './payout-gateway.ts';
import { gatewayMigrations } from './postgres/migrations.ts';

const config = readConfig(gatewaySchema);
const logger = createLogger({
  service: 'payout-gateway',
  replica: 'replay',
  level: config.logLevel,
  destination: process.stderr,
});

try {
  const isDone = await replayCommand({
    definition: decisionsOf(config).definition,
    databaseUrl: config.databaseUrl.reveal(),
    migrations: gatewayMigrations,
    words: process.argv.slice(2),
    logger,
    write: (text) => void process.stdout.write(text),
  });
  process.exitCode = isDone ? 0 : 1;
} catch (error) {
  process.stderr.write(`replay: ${error instanceof CodedError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
