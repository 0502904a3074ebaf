// Puts the parts together: store, desk, jobs, routes.
import type { Clock, NewId } from '@compasso/kernel';
import type { CheckResult, FrontDoor, ServiceLogger } from '@compasso/runtime';
import type { FastifyInstance } from 'fastify';
import type { Order, PlannedNotification } from './domain/payout.ts';
import { adminRoutes } from './http/admin-routes.ts';
import { apiKeyCheck } from './http/api-key.ts';
import { ProviderDesk } from './http/provider-desk.ts';
import { ProviderDoor } from './http/provider-door.ts';
import { UnservedSockets } from './http/unserved-sockets.ts';
import { NotificationSender } from './jobs/notification-sender.ts';
import { OrderProgress } from './jobs/order-progress.ts';
import type { SimulatorConfig } from './simulator.config.ts';
import { SimulatorStore } from './sqlite/simulator-store.ts';

export interface SimulatorDependencies {
  readonly config: SimulatorConfig;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Pick<ServiceLogger, 'error'>;
}

export interface Simulator {
  readonly frontDoor: FrontDoor;
  addRoutes(fastify: FastifyInstance): Promise<void>;
  /** Takes up what was due while the process was down. */
  start(): void;
  checks: Readonly<Record<'progress' | 'webhooks', () => CheckResult>>;
  /** Ends the connections on which nothing would ever be said. */
  breakSilence(): void;
  stopJobs(): Promise<void>;
  closeStore(): void;
}

export function composeSimulator({
  config,
  clock,
  newId,
  logger,
}: SimulatorDependencies): Simulator {
  const store = new SimulatorStore(config.simulatorStoreFile);
  const sockets = new UnservedSockets();
  const { timeScale, webhookUrls: urls } = config;
  const secret = config.providerWebhookSecretFile.reveal();
  const sender = new NotificationSender({ store, clock, timeScale, secret, urls });
  const onPlanned = (planned: readonly PlannedNotification[]) => sender.expect(planned);
  const progress = new OrderProgress({ store, clock, newId, timeScale, onPlanned });
  const onAccepted = (order: Order) => progress.expect(order);
  const desk = new ProviderDesk({ store, clock, newId, timeScale, onAccepted });
  const isAuthorized = apiKeyCheck(config.providerApiKeyFile.reveal());
  return {
    frontDoor: new ProviderDoor({ desk, sockets, isAuthorized, logger }),
    async addRoutes(fastify) {
      const admin = adminRoutes({ store, clock, newId, timeScale, isAuthorized, onPlanned, logger });
      await fastify.register(admin, { prefix: '/admin' });
    },
    start() {
      progress.start();
      sender.start();
    },
    checks: { progress: () => progress.check(), webhooks: () => sender.check() },
    breakSilence: () => sockets.destroyAll(),
    async stopJobs() {
      await progress.stop();
      await sender.stop();
    },
    closeStore: () => store.close(),
  };
}
