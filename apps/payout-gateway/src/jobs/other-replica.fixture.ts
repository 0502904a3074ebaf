// A worker as a process of its own, on somebody else's database, so that a spec can kill it. Run from the sources.
import { setTimeout as pause } from 'node:timers/promises';
import { payeeOpener, sealPayee } from '@compasso/contracts';
import { type Clock, instantOf } from '@compasso/kernel';
import { PostgresUnitOfWork } from '@compasso/messaging';
import { openDatabase } from '@compasso/postgres';
import type { JWK } from 'jose';
import { policyFor } from '../domain/policy.ts';
import { gatewayMigrations } from '../postgres/migrations.ts';
import { PayoutQueries } from '../postgres/payout-queries.ts';
import { referenceProvider } from '../simulator.fixture.ts';
import { gatewayWorld } from './gateway-world.story.ts';

const {
  DATABASE_URL = '',
  PROVIDER_URL = '',
  PROVIDER_API_KEY = '',
  PAYEE_KEYS = '',
  TIME_SCALE = '1',
} = process.env;

const clock: Clock = { now: () => instantOf(Date.now()), monotonic: () => performance.now() };
const database = await openDatabase({
  url: DATABASE_URL,
  applicationName: 'other-replica',
  migrations: gatewayMigrations,
});
const queries = new PayoutQueries(database.reads);
const privateKeys = JSON.parse(PAYEE_KEYS) as { keys: JWK[] };
const published = { keys: [] };
const { worker } = gatewayWorld({
  provider: referenceProvider(PROVIDER_URL, PROVIDER_API_KEY),
  clock,
  keys: {
    open: payeeOpener(privateKeys),
    seal: (key) => sealPayee(key, published),
    published,
    privateKeys,
  },
  unitOfWork: new PostgresUnitOfWork(database.hot),
  policy: policyFor(Number(TIME_SCALE)),
  knownOrder: (name) => queries.knownOrder(name),
  pause,
});
process.once('SIGTERM', () => {
  void worker.stop().then(() => process.exit(0));
});
worker.start();
process.stdout.write('started\n');
