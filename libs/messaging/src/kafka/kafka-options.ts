// How to reach Kafka, and how long to wait for it. Every retry number is explicit: kafkajs has other defaults when
// NODE_ENV is "test" (field failure A-22).
import { readFileSync } from 'node:fs';
import { partitionCount } from '@compasso/contracts';
import { invariant } from '@compasso/kernel';
import type { Logger } from '@compasso/observability';
import { databaseLimits } from '@compasso/postgres';
import kafkajs, { type Kafka as KafkaClient, type KafkaConfig, type SASLOptions } from 'kafkajs';
import { changeKafkajsProtocol } from './kafkajs-protocol.ts';

const { Kafka, logLevel } = kafkajs;
changeKafkajsProtocol();

export interface KafkaOptions {
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Put before every topic and group, to share a cluster; empty in production. */
  readonly topicPrefix: string;
  readonly ssl?: { readonly caFile?: string | undefined } | undefined;
  readonly sasl?:
    | { readonly mechanism: string; readonly username: string; readonly password: string }
    | undefined;
  readonly logger: Logger;
}

export const kafkaLimits = {
  connectionTimeoutMs: 2_000,
  requestTimeoutMs: 8_000,
  retriesMax: 2,
  retryDelayMs: 100,
  sessionTimeoutMs: databaseLimits.kafkaSessionTimeoutMs,
  /** How long a rebalance waits for a member that does not come: shorter than our patience with a silent broker. */
  rebalanceTimeoutMs: 7_000,
  heartbeatIntervalMs: 2_000,
  fetchWaitMs: 250,
  fetchBytesMax: 4_194_304,
  /** Of one transaction. Beyond this it costs latency and gains nothing (performance.md 1b). */
  batchRecordsMax: 500,
  /** All partitions of a topic: what a poll brings is handled together. */
  partitionsAtOnce: partitionCount,
  commitIntervalMs: 1_000,
  offsetsTimeoutMs: 6_000,
  /** Within one generation, while its partitions have no leader or the database is away. */
  seatingsMax: 5,
  seatingPauseMs: 300,
  /** How often the logs are looked at from outside, and how long a partition with something to read may stand still. */
  progressCheckMs: 10_000,
  stallMsMax: 60_000,
  /** Reading a whole topic as one batch after another; each may be judged or written slowly. */
  readSilenceMsMax: 60_000,
  disconnectTimeoutMs: 3_000,
  /** A batch at hand when the process is told to stop. */
  drainTimeoutMs: 8_000,
  generationPauseMs: 200,
  generationPauseMsMax: 5_000,
  /** So many lost generations in the window, and the process is replaced (attack H32). */
  generationsMax: 5,
  generationsWindowMs: 600_000,
  publishTimeoutMs: 12_000,
} as const;
invariant(
  kafkaLimits.rebalanceTimeoutMs + kafkaLimits.heartbeatIntervalMs < kafkaLimits.sessionTimeoutMs,
  'a rebalance is over before a silent broker is given up',
);

/** A fresh client: a generation never inherits sockets or metadata from the one before it. */
export function newClient(options: KafkaOptions): KafkaClient {
  const config: KafkaConfig = {
    clientId: options.clientId,
    brokers: [...options.brokers],
    connectionTimeout: kafkaLimits.connectionTimeoutMs,
    requestTimeout: kafkaLimits.requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: { retries: kafkaLimits.retriesMax, initialRetryTime: kafkaLimits.retryDelayMs, maxRetryTime: 1_000 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => {
      const { message, ...facts } = entry.log;
      // kafkajs reports as errors what a new client or generation heals: a start-up or a failover is full of them.
      options.logger.debug({ kafka: facts, namespace: entry.namespace }, `kafka client: ${message}`);
    },
  };
  if (options.ssl !== undefined) config.ssl = sslOf(options.ssl.caFile);
  if (options.sasl !== undefined) config.sasl = options.sasl as SASLOptions;
  return new Kafka(config);
}

const sslOf = (caFile: string | undefined): NonNullable<KafkaConfig['ssl']> =>
  caFile === undefined ? true : { ca: [readFileSync(caFile, 'utf8')] };
