// The broker's jars, fetched once by Maven into the cache, with an empty formatted log directory
// beside them: formatting takes a Java start of more than a second, copying its result takes none.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { cacheDirectory, placeOnce } from '../directories.ts';
import type { Log } from '../log.ts';
import { run } from '../run.ts';
import { brokerSettings, newKafkaId, settingsFile } from './broker-settings.ts';
import type { Java } from './java.ts';

export type KafkaDistribution = {
  readonly jars: string;
  readonly formatted: string;
  readonly directory: string;
};

type Wish = { readonly java: Java; readonly log: Log; readonly signal?: AbortSignal | undefined };

const pom = join(import.meta.dirname, 'pom.xml');
const heartbeatMs = 5_000;

export async function kafkaDistribution(wish: Wish): Promise<KafkaDistribution> {
  const key = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const directory = join(cacheDirectory(), `kafka-${key}`);
  await placeOnce(directory, async (draft) => {
    await fetchJars(distributionIn(draft).jars, wish);
    await format(draft, wish);
  });
  return distributionIn(directory);
}

function distributionIn(directory: string): KafkaDistribution {
  return { directory, jars: join(directory, 'jars'), formatted: join(directory, 'formatted') };
}

async function fetchJars(jars: string, { log, signal }: Wish): Promise<void> {
  requireMaven();
  const since = performance.now();
  log('downloading Apache Kafka with Maven (43 MB, once)');
  const heartbeat = setInterval(() => {
    log(`still downloading Apache Kafka (${Math.round((performance.now() - since) / 1_000)} s)`);
  }, heartbeatMs);
  const goal = [
    'dependency:copy-dependencies',
    `-DoutputDirectory=${jars}`,
    '-DincludeScope=runtime',
  ];
  try {
    await succeeds('mvn', ['-q', '-B', '-f', pom, ...goal], signal);
    log('Apache Kafka is downloaded');
  } finally {
    clearInterval(heartbeat);
  }
}

function requireMaven(): void {
  if (spawnSync('mvn', ['--version'], { stdio: 'ignore' }).status === 0) return;
  throw new CodedError(
    'maven_missing',
    'Kafka is downloaded with Maven and mvn does not run: install it, or set KAFKA_BROKERS',
  );
}

async function format(draft: string, { java, signal }: Wish): Promise<void> {
  const { jars, formatted } = distributionIn(draft);
  const file = join(draft, 'format.properties');
  writeFileSync(
    file,
    settingsFile(brokerSettings({ dataDirectory: formatted, port: 1, controllerPort: 2 })),
  );
  const tool = ['-cp', join(jars, '*'), 'kafka.tools.StorageTool'];
  await succeeds(java.command, [...tool, 'format', '-t', newKafkaId(), '-c', file], signal);
}

async function succeeds(
  command: string,
  given: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const { code, output } = await run(command, given, { signal });
  if (code !== 0) throw failed(command, output);
}

function failed(command: string, output: string): CodedError {
  const why =
    output.split('\n').find((line) => line.includes('ERROR')) ??
    output.trim().split('\n').at(-1) ??
    '';
  return new CodedError(
    'kafka_download_failed',
    `${command} could not prepare Apache Kafka: ${why.trim()}`,
  );
}
