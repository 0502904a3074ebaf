// The broker's jars, fetched once by Maven into the cache, with an empty formatted log directory
// beside them: formatting takes a Java start of more than a second, copying its result takes none.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { cacheDirectory, placeOnce } from '../directories.ts';
import type { Log } from '../log.ts';
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
    await run('mvn', ['-q', '-B', '-f', pom, ...goal], signal);
  } finally {
    clearInterval(heartbeat);
  }
}

async function format(draft: string, { java, signal }: Wish): Promise<void> {
  const { jars, formatted } = distributionIn(draft);
  const file = join(draft, 'format.properties');
  writeFileSync(
    file,
    settingsFile(brokerSettings({ dataDirectory: formatted, port: 1, controllerPort: 2 })),
  );
  const tool = ['-cp', join(jars, '*'), 'kafka.tools.StorageTool'];
  await run(java.command, [...tool, 'format', '-t', newKafkaId(), '-c', file], signal);
}

async function run(command: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal && { signal }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += String(chunk)));
    child.once('error', (cause: NodeJS.ErrnoException) =>
      reject(cause.code === 'ENOENT' ? missing(command) : cause),
    );
    child.once('close', (code) => (code === 0 ? resolve() : reject(failed(command, output))));
  });
}

function missing(command: string): CodedError {
  return new CodedError(
    'maven_missing',
    `${command} was not found and Kafka is downloaded with it: install Maven, or set KAFKA_BROKERS`,
  );
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
