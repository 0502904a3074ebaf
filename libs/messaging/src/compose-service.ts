// Real parts for a service's messaging: its database, its Kafka, its relay, its probes. Called by each `main.ts`.
import { setTimeout as pause } from 'node:timers/promises';
import { allTopics, type TopicDefinition } from '@compasso/contracts';
import { type Logger } from '@compasso/observability';
import { type Database, holdLease } from '@compasso/postgres';
import { uuidv7 } from 'uuidv7';
import type { KafkaOptions } from './kafka/kafka-options.ts';
import { KafkaTransport } from './kafka/kafka-transport.ts';
import { MessagingMetrics } from './messaging-metrics.ts';
import { BatchTransportStrategy } from './nest/batch-transport-strategy.ts';
import type { Transport } from './ports/transport.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';
import { PostgresUnitOfWork } from './postgres/postgres-unit-of-work.ts';
import { type RelayLoop, startRelayLoop } from './relay/relay-loop.ts';
import type { Executor } from './shell/execute.ts';
import type { ServiceDefinition } from './shell/reaction.ts';
import type { Replayer } from './shell/replay.ts';
import { composeShell } from './shell/service-shell.ts';

export interface ServiceParts {
  readonly database: Database;
  readonly kafka: Omit<KafkaOptions, 'logger' | 'clientId'>;
  readonly requestTeams: readonly string[];
  readonly replica: string;
  readonly logger: Logger;
  /** The process must end: a bug was met or generations are lost too often. */
  readonly onFatal: (error: unknown) => void;
}

export interface HealthCheck {
  readonly name: string;
  readonly check: () => { readonly ok: boolean; readonly detail?: string };
}

export interface ServiceMessaging {
  readonly executor: Executor;
  readonly replayer: Replayer;
  readonly unitOfWork: UnitOfWork;
  readonly transport: Transport;
  /** For `app.connectMicroservice({ strategy })`: consuming begins when Nest starts it. */
  readonly strategy: BatchTransportStrategy;
  /** Progress, not connection: consumers heard from, relay getting rid of its rows. */
  readonly checks: readonly HealthCheck[];
  /** Starts the relay and waits until all topics exist with the partitions of their definition. */
  start(signal: AbortSignal): Promise<void>;
  /** Stops fetching, finishes the batch at hand, publishes what is committed, gives up the lease. */
  stop(): Promise<void>;
}

const retryDelayMsMax = 1_000;

/** 10, 20, 40 … ms, and up to the same again so that replicas do not meet twice. */
const pauseBeforeRetry = (attempt: number): Promise<void> => {
  const base = Math.min(retryDelayMsMax, 10 * 2 ** attempt);
  return pause(base + Math.random() * base);
};

/** A relay that has not had a good round for this long is not making progress. */
const relayStallMs = 15_000;

export function composeService<Desk>(definition: ServiceDefinition<Desk>, parts: ServiceParts): ServiceMessaging {
  const { database, logger } = parts;
  const name = definition.name;
  const kafka: KafkaOptions = { ...parts.kafka, clientId: `${name}-${parts.replica}`, logger };
  const transport = new KafkaTransport(kafka, parts.onFatal);
  const unitOfWork = new PostgresUnitOfWork(database.hot);
  const lease = holdLease({
    url: database.url,
    name: `relay:${name}`,
    onChange: (isLeader) => logger.info({ isLeader }, 'relay leadership changed'),
    onError: (error) => logger.debug({ error: String(error) }, 'the relay lease is being sought again'),
  });
  const metrics = new MessagingMetrics(logger);
  let relayLoop: RelayLoop | undefined;
  const shell = composeShell(definition, {
    unitOfWork,
    transport,
    leadership: lease,
    newId: uuidv7,
    pauseBeforeRetry,
    observe: (observation) => metrics.observe(observation),
    wake: () => relayLoop?.wake(),
  });
  const strategy = new BatchTransportStrategy(transport, shell.subscribers);
  metrics.watch({ isLeader: () => lease.isLeader(), health: () => strategy.health() });
  const topics: readonly TopicDefinition[] = allTopics({ requestTeams: parts.requestTeams });
  return {
    executor: shell.executor,
    replayer: shell.replayer,
    unitOfWork,
    transport,
    strategy,
    checks: [
      {
        name: 'consumers',
        check: () => {
          const health = strategy.health();
          const ill = health.find(({ ok }) => !ok);
          const started = health.length === shell.subscribers.length;
          return { ok: started && ill === undefined, detail: ill === undefined ? `${health.length} topics` : `${ill.topic}: ${ill.detail}` };
        },
      },
      {
        name: 'relay',
        check: () => {
          const silentMs = performance.now() - (relayLoop?.lastGoodRound() ?? Number.NEGATIVE_INFINITY);
          return { ok: silentMs < relayStallMs, detail: lease.isLeader() ? 'leads' : 'stands by' };
        },
      },
    ],
    async start(signal) {
      relayLoop = startRelayLoop(shell.relay, logger);
      await transport.awaitTopics(topics, signal);
    },
    async stop() {
      await strategy.close();
      await relayLoop?.stop();
      await transport.close();
      await lease.stop();
    },
  };
}
