// The entry of `npm run replay -- --service payout-gateway`: the environment of a replica, and this service's own handlers. What they
// emit leaves through the relay of the replicas that run.
import { replayProcess } from '@compasso/messaging';
import { readConfig } from '@compasso/runtime/config';
import { gatewaySchema } from './payout-gateway.config.ts';
import { decisionsOf } from './payout-gateway.ts';
import { gatewayMigrations } from './postgres/migrations.ts';

const config = readConfig(gatewaySchema);
await replayProcess({
  service: 'payout-gateway',
  level: config.logLevel,
  databaseUrl: config.databaseUrl.reveal(),
  migrations: gatewayMigrations,
  definitionOf: () => decisionsOf(config).definition,
});
