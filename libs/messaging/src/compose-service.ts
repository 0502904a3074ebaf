// Real parts for a service's messaging: its database, its Kafka, its relay, its probes. Called by each `main.ts`.
import { allTopics, type TopicDefinition } from '@compasso/contracts';
import { type Logger } from '@compasso/observability';
import { type Database, holdLease, type Lease } from '@compasso/postgres';
import { uuidv7 } from 'uuidv7';
import type { KafkaOptions } from './kafka/kafka-options.ts';
import { KafkaTransport } from './kafka/kafka-transport.ts';
import { takeCensus } from './postgres/dead-letter-census.ts';
import { MessagingMetrics } from './messaging-metrics.ts';
import { BatchTransportStrategy } from './nest/batch-transport-strategy.ts';
import type { Transport } from './ports/transport.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';
import { daysKeptFor, keepEventLog } from './postgres/event-log-keeper.ts';
import { PostgresUnitOfWork } from './postgres/postgres-unit-of-work.ts';
import { type RelayLoop, startRelayLoop } from './relay/relay-loop.ts';
import type { Executor } from './shell/execute.ts';
import type { ServiceDefinition } from './shell/reaction.ts';
import type { Replayer } from './shell/replay.ts';
import { pauseBeforeRetry } from './shell/retry-pause.ts';
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

/** A relay that has not had a good round for this long is not making progress. */
const relayStallMs = 15_000;

export function composeService<Desk>(definition: ServiceDefinition<Desk>, parts: ServiceParts): ServiceMessaging {
  const { database, logger } = parts;
  const { name } = definition;
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
  const running: { relay?: RelayLoop; upkeep?: readonly { stop(): Promise<void> }[] } = {};
  const shell = composeShell(definition, {
    unitOfWork,
    transport,
    leadership: lease,
    newId: uuidv7,
    pauseBeforeRetry,
    observe: (observation) => metrics.observe(observation),
    wake: () => running.relay?.wake(),
  });
  const strategy = new BatchTransportStrategy(transport, shell.subscribers);
  metrics.watch({ isLeader: () => lease.isLeader(), health: () => strategy.health() });
  const topics: readonly TopicDefinition[] = allTopics({ requestTeams: parts.requestTeams });
  const own = topics.filter(({ source }) => source === definition.source);
  return {
    executor: shell.executor,
    replayer: shell.replayer,
    unitOfWork,
    transport,
    strategy,
    checks: [consumersCheck(strategy, shell.subscribers.length), relayCheck(lease, () => running.relay)],
    async start(signal) {
      running.relay = startRelayLoop(shell.relay, logger);
      running.upkeep = [keepEventLog(database.hot, logger, daysKeptFor(own)), takeCensus(database.hot)];
      await transport.awaitTopics(topics, signal);
    },
    async stop() {
      await strategy.close();
      await running.relay?.stop();
      await transport.close();
      await Promise.all([lease.stop(), ...(running.upkeep ?? []).map((each) => each.stop())]);
    },
  };
}

function consumersCheck(strategy: BatchTransportStrategy, expected: number): HealthCheck {
  return {
    name: 'consumers',
    check: () => {
      const health = strategy.health();
      const ill = health.find(({ ok }) => !ok);
      if (ill !== undefined) return { ok: false, detail: `${ill.topic}: ${ill.detail}` };
      return { ok: health.length === expected, detail: `${health.length} of ${expected} topics` };
    },
  };
}

function relayCheck(lease: Lease, relay: () => RelayLoop | undefined): HealthCheck {
  return {
    name: 'relay',
    check: () => {
      const silentMs = performance.now() - (relay()?.lastGoodRound() ?? Number.NEGATIVE_INFINITY);
      return { ok: silentMs < relayStallMs, detail: lease.isLeader() ? 'leads' : 'stands by' };
    },
  };
}
