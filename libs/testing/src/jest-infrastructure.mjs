// Starts one Kafka and one Postgres for the integration tier, unless the environment names running
// ones. Their data are thrown away, so Postgres need not wait for the disk. What a killed run has
// left is ended first.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftover, killLeftover } from '../../../infra/child.ts';
import { sharedDirectory } from '../../../infra/directories.ts';
import { startKafka } from '../../../infra/kafka/kafka.ts';
import { acquireLock, ownerOf } from '../../../infra/lock.mjs';
import { startPostgres } from '../../../infra/postgres/postgres.ts';
import { isRunning } from '../../../infra/process-identity.mjs';

const lockSuffix = '.lock';
const log = (sentence) => process.stderr.write(`${sentence}\n`);
const quickSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Jest calls it once, before the first test of the tier; `jest-infrastructure-teardown.mjs` undoes
 * it.
 */
export default async function startInfrastructure() {
  const wanted = wantedParts();
  if (wanted.length === 0) return;
  const runs = sharedDirectory('integration-tests');
  await removeLeftRuns(runs);
  const directory = join(runs, `run-${randomUUID()}`);
  const { release } = acquireLock(`${directory}${lockSuffix}`);
  mkdirSync(directory);
  const abort = new AbortController();
  const starts = wanted.map((part) => part(directory, abort.signal));
  const stop = async () => {
    abort.abort();
    const started = await Promise.allSettled(starts);
    await Promise.all(started.map(({ value }) => value?.stop()));
    rmSync(directory, { recursive: true, force: true });
    release();
  };
  globalThis.compassoInfrastructure = { stop };
  stopWithProcess(stop, directory);
  await Promise.all(starts).catch(async (error) => {
    await stop();
    throw error;
  });
}

function wantedParts() {
  const given = (name) => (process.env[name] ?? '') !== '';
  return [
    ...(given('COMPASSO_TEST_KAFKA_BROKERS') ? [] : [startTestKafka]),
    ...(given('COMPASSO_TEST_POSTGRES_URL') ? [] : [startTestPostgres]),
  ];
}

async function startTestKafka(directory, signal) {
  const kafka = await startKafka({ directory: join(directory, 'kafka'), log, signal });
  process.env.COMPASSO_TEST_KAFKA_BROKERS = kafka.brokers;
  return kafka;
}

async function startTestPostgres(directory, signal) {
  const place = join(directory, 'postgres');
  const postgres = await startPostgres({ directory: place, log, signal, settings: quickSettings });
  process.env.COMPASSO_TEST_POSTGRES_URL = postgres.superuserUrl;
  return postgres;
}

// Jest does not tear down when it is interrupted, and when it exits of itself there is no time to
// stop gently.
function stopWithProcess(stop, directory) {
  process.once('exit', () => pidFilesIn(directory).forEach(killLeftover));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => void stop().finally(() => process.exit(1)));
  }
}

async function removeLeftRuns(runs) {
  for (const name of readdirSync(runs)) {
    if (!name.endsWith(lockSuffix)) continue;
    const owner = ownerOf(join(runs, name));
    if (owner === undefined || isRunning(owner)) continue;
    const directory = join(runs, name.slice(0, -lockSuffix.length));
    await Promise.all(pidFilesIn(directory).map((pidFile) => endLeftover(pidFile)));
    rmSync(directory, { recursive: true, force: true });
    rmSync(join(runs, name), { force: true });
  }
}

function pidFilesIn(directory) {
  return [
    join(directory, 'kafka', 'kafka.pid.json'),
    join(directory, 'postgres', 'postgres.pid.json'),
  ];
}
