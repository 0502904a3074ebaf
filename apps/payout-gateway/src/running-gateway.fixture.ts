// The gateway on real Postgres, with its HTTP door, its worker's loop and the real simulator: all but Kafka, whose messages are
// handed to the same consumer. Imported by specs only.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, instantOf } from '@compasso/kernel';
import { eventLogTable, PostgresUnitOfWork } from '@compasso/messaging';
import { createLogger, httpObserver } from '@compasso/observability';
import { createTokenVerifier, ReadinessRegistry, startHttp } from '@compasso/runtime';
import { eventually, privateDatabase } from '@compasso/testing';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type Policy, policyFor } from './domain/policy.ts';
import { WebhookDoor } from './http/webhook-door.ts';
import { gatewayWorld, payeeKeys, type World } from './jobs/gateway-world.story.ts';
import { type GatewayModuleParts, PayoutGatewayModule } from './payout-gateway.module.ts';
import { isTransient } from './payout-gateway.ts';
import { gatewayMigrations } from './postgres/migrations.ts';
import { PayoutQueries } from './postgres/payout-queries.ts';
import { payoutTable } from './postgres/tables.ts';
import type { Provider } from './provider/provider.port.ts';
import { referenceProvider, startSimulator, webhookSecret } from './simulator.fixture.ts';

const issuer = { authIssuer: 'https://compasso.local', authAudience: 'compasso' };
export const systemClock: Clock = { now: () => instantOf(Date.now()), monotonic: () => performance.now() };

export type RunningGateway = Awaited<ReturnType<typeof runningGateway>>;

export async function runningGateway(changes: { policy?: Policy } = {}) {
  const policy = changes.policy ?? policyFor(0.02);
  const database = await privateDatabase(gatewayMigrations);
  const unitOfWork = new PostgresUnitOfWork(database.hot);
  const queries = new PayoutQueries(database.reads);
  const keys = await payeeKeys();
  const ring: { door?: WebhookDoor } = {};
  const open = await openDoor({ queries, webhooks: lateDoor(ring), payeeKeys: keys.published });
  const simulator = await startSimulator({ webhookUrl: `${open.http.url}/v1/webhooks/reference` });
  const provider = referenceProvider(simulator.url);
  const world = gatewayWorld({
    provider,
    clock: systemClock,
    keys,
    unitOfWork,
    policy,
    pause,
    knownOrder: (name) => queries.knownOrder(name),
  });
  ring.door = webhookDoor(world, provider);
  return {
    ...world,
    ...observed(unitOfWork),
    database,
    unitOfWork,
    queries,
    simulator,
    keys,
    mint: open.mint,
    logged: open.logged,
    ask: (path: string, init?: RequestInit) => fetch(`${open.http.url}${path}`, init),
    async stop() {
      await world.worker.stop();
      await simulator.stop();
      await open.close();
      await provider.close();
      await database.drop();
    },
  };
}

async function openDoor(parts: GatewayModuleParts) {
  const token = await tokenKeys();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const http = await startHttp({
    module: PayoutGatewayModule.with(parts),
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'payout-gateway', replica: '1', level: 'info', destination }),
    telemetry: { http: httpObserver },
    readiness: new ReadinessRegistry(),
    verifier: createTokenVerifier({ ...issuer, authJwksFile: token.file }),
    isTransient,
  });
  return {
    http,
    mint: token.mint,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    async close() {
      http.cut();
      await http.close();
      token.remove();
    },
  };
}

const webhookDoor = (world: World, provider: Provider): WebhookDoor =>
  new WebhookDoor({
    executor: world.shell.executor,
    desk: world.desk,
    transferIdOf: (orderId) => provider.transferIdOf(orderId),
    provider: provider.name,
    secrets: () => [webhookSecret],
    clock: systemClock,
    roomForQuestions: () => world.worker.roomForQuestions(),
    onQuestion: (question) => world.worker.ask(question),
    onHint: () => world.worker.wakeForOld(),
  });

function observed(unitOfWork: PostgresUnitOfWork) {
  const read = async (transferId: string) =>
    (await unitOfWork.run((transaction) => transaction.read(payoutTable, [[transferId]])))[0];
  return {
    read,
    published: (transferId: string) => publishedOf(unitOfWork, transferId),
    /** The payout once it is in this state. */
    becomes: (transferId: string, state: string, withinMs = 20_000) =>
      eventually(
        async () => {
          const row = await read(transferId);
          return row?.state === state ? row : undefined;
        },
        { withinMs, because: `payout ${transferId} is ${state}` },
      ),
  };
}

/** The door needs the worker, the worker the provider, and the provider's webhooks the address of the door. */
const lateDoor = (ring: { door?: WebhookDoor }): WebhookDoor =>
  ({ take: (signed: Parameters<WebhookDoor['take']>[0]) => ring.door!.take(signed) }) as WebhookDoor;

async function publishedOf(unitOfWork: PostgresUnitOfWork, transferId: string) {
  const rows = await unitOfWork.run((transaction) =>
    transaction.oldest(eventLogTable, { column: 'sequence', limit: 1_000, where: { subject: transferId } }),
  );
  return rows.map((row) => ({
    type: row.type.split('.').slice(1, -1).join('.'),
    sequence: row.sequence,
    data: JSON.parse(row.data) as Record<string, unknown>,
  }));
}

async function tokenKeys() {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-'));
  const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const file = join(directory, 'auth-jwks.json');
  writeFileSync(file, JSON.stringify({ keys: [{ ...(await exportJWK(signing.publicKey)), alg: 'EdDSA' }] }));
  const mint = (claims: JWTPayload = {}, expiresIn = '5m'): Promise<string> =>
    new SignJWT({ scope: 'payouts:read', accounts: ['*'], ...claims })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer(issuer.authIssuer)
      .setAudience(issuer.authAudience)
      .setSubject('operator')
      .setExpirationTime(expiresIn)
      .sign(signing.privateKey);
  return { file, mint, remove: () => rmSync(directory, { recursive: true }) };
}
