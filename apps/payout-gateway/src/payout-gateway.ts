// Puts the gateway together: its database, its messaging, its provider, its worker and its HTTP module.
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamicModule } from '@nestjs/common';
import { payeeOpener } from '@compasso/contracts';
import { type Clock, CodedError, instantOf } from '@compasso/kernel';
import { composeService, type ServiceMessaging } from '@compasso/messaging';
import type { Logger } from '@compasso/observability';
import { type Database, isTransientPostgres, openDatabase } from '@compasso/postgres';
import { type Check, kafkaSettingsOf, type StopStep } from '@compasso/runtime';
import { uuidv7 } from 'uuidv7';
import { type Policy, policyFor } from './domain/policy.ts';
import { WebhookDoor } from './http/webhook-door.ts';
import { PayoutWorker } from './jobs/payout-worker.ts';
import { ProviderGate } from './jobs/provider-gate.ts';
import { watchPayouts } from './jobs/watch-payouts.ts';
import { publicKeysOf } from './payee-keys.ts';
import { type GatewayConfig, secretsIn } from './payout-gateway.config.ts';
import { payoutGateway } from './payout-gateway.definition.ts';
import { PayoutGatewayModule } from './payout-gateway.module.ts';
import type { DeskParts } from './postgres/gateway-desk.ts';
import { KnownInstructions } from './postgres/known-instructions.ts';
import { gatewayMigrations } from './postgres/migrations.ts';
import { PayoutQueries } from './postgres/payout-queries.ts';
import type { Provider } from './provider/provider.port.ts';
import { ReferenceProvider } from './provider/reference-provider.ts';

export interface Gateway {
  readonly module: DynamicModule;
  readonly messaging: ServiceMessaging;
  readonly worker: PayoutWorker;
  readonly checks: readonly { readonly name: string; readonly check: Check }[];
  /** In the order of stopping; the database is closed last. */
  readonly stopSteps: readonly StopStep[];
}

export interface GatewayOptions {
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly onFatal: (error: unknown) => void;
}

/** What passes by itself, and is answered 503 instead of 500. */
export const isTransient = (error: unknown): boolean =>
  isTransientPostgres(error) || (error instanceof CodedError && error.code === 'temporarily_unavailable');

const clock: Clock = { now: () => instantOf(Date.now()), monotonic: () => performance.now() };

/** A worker that has not looked at its queue for this long makes no progress. */
const workerStallMs = 15_000;

export async function composeGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, logger, onFatal } = options;
  const { policy, provider, desk, definition } = decisionsOf(config);
  logger.info({ timeScale: config.timeScale, ...policy }, 'waiting policy');
  const database = await openDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: `payout-gateway-${config.serviceReplica}`,
    migrations: gatewayMigrations,
    onConnectionError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  const messaging = composeService(definition, {
    database,
    kafka: kafkaSettingsOf(config),
    requestTeams: config.requestTeams,
    replica: config.serviceReplica,
    logger,
    onFatal,
  });
  return assemble({ ...options, policy, provider, desk, database, messaging });
}

/** How this gateway decides, whichever process of it asks. */
export function decisionsOf(config: GatewayConfig) {
  const policy = policyFor(config.timeScale);
  const provider = providerOf(config, policy);
  const desk: DeskParts = {
    newId: uuidv7,
    chance: Math.random,
    rulesOf: () => ({ policy, capabilities: provider.capabilities }),
    instructions: new KnownInstructions(),
  };
  return { policy, provider, desk, definition: payoutGateway({ ...desk, provider: boundTo(provider) }) };
}

interface Parts extends GatewayOptions {
  readonly policy: Policy;
  readonly provider: Provider;
  readonly desk: DeskParts;
  readonly database: Database;
  readonly messaging: ServiceMessaging;
}

async function assemble(parts: Parts): Promise<Gateway> {
  const { config, logger, provider, desk, database, messaging } = parts;
  const queries = new PayoutQueries(database.reads);
  const worker = await workerOf(parts, queries);
  const webhooks = new WebhookDoor({
    executor: messaging.executor,
    desk,
    transferIdOf: (orderId) => provider.transferIdOf(orderId),
    provider: provider.name,
    secrets: () => secretsIn(config.providerWebhookSecretFile.reveal()),
    clock,
    roomForQuestions: () => worker.roomForQuestions(),
    onQuestion: (question) => worker.ask(question),
    onHint: () => worker.wakeForOld(),
  });
  const watch = watchPayouts({ queries, logger });
  const payeeKeys = publicKeysOf(config.payeePrivateJwksFile);
  return {
    module: PayoutGatewayModule.with({ queries, webhooks, payeeKeys }),
    messaging,
    worker,
    checks: [
      ...messaging.checks,
      { name: 'payout-worker', check: () => ({ ok: worker.silentMs() < workerStallMs }) },
    ],
    stopSteps: [
      // The worker first: what it learns on its way out is still published.
      { name: 'worker', stop: () => worker.stop(), deadlineMs: parts.policy.callTimeoutMs + 5_000 },
      { name: 'messaging', stop: () => messaging.stop(), deadlineMs: 15_000 },
      { name: 'jobs', stop: () => watch.stop(), deadlineMs: 9_000 },
      { name: 'provider', stop: () => provider.close(), deadlineMs: 2_000 },
      { name: 'database', stop: () => database.close(), deadlineMs: 5_000 },
    ],
  };
}

async function workerOf(parts: Parts, queries: PayoutQueries): Promise<PayoutWorker> {
  const { config, logger, policy, provider, desk, messaging } = parts;
  const gate = new ProviderGate({
    provider: provider.name,
    policy,
    clock,
    submitsMax: config.providerCallsMax,
    queriesMax: config.providerQueriesMax,
    callsPerSecondMax: config.providerCallsPerSecondMax,
  });
  return new PayoutWorker({
    executor: messaging.executor,
    desk,
    clock,
    provider,
    gate,
    rules: desk.rulesOf(provider.name),
    openPayee: payeeOpener(config.payeePrivateJwksFile),
    callTimeoutMs: policy.callTimeoutMs,
    knownOrder: (name) => queries.knownOrder(name),
    pause,
    onTrouble: (error, what) => logger.warn({ err: error, what }, 'the payout worker tries again'),
    onContradiction: (transferId, contradiction) =>
      logger.error(
        { transferId, contradiction },
        'the provider contradicts how a payout ended; the end stays',
      ),
    onBroken: (transferId, error) =>
      logger.fatal({ err: error, transferId }, 'a payout breaks a rule of its own and is set aside'),
  });
}

function providerOf(config: GatewayConfig, policy: Policy): Provider {
  return new ReferenceProvider({
    url: config.providerUrl,
    apiKey: () => config.providerApiKeyFile.reveal(),
    notFoundGraceMs: policy.notFoundGraceMs,
    connectTimeoutMs: policy.callTimeoutMs,
    connectionsMax: config.providerCallsMax + config.providerQueriesMax,
  });
}

const boundTo = (provider: Provider) => ({
  name: provider.name,
  orderIdOf: (transferId: string) => provider.orderIdOf(transferId),
});
