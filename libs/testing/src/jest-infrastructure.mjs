// Starts one Kafka and one Postgres for the integration tier, unless the environment names running ones. Their data
// are thrown away, so Postgres need not wait for the disk. What a killed run has left is ended first.
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftover } from '../../../infra/child.ts';
import { sharedDirectory } from '../../../infra/directories.ts';
import { startKafka } from '../../../infra/kafka/kafka.ts';
import { acquireLock, ownerOf } from '../../../infra/lock.mjs';
import { startPostgres } from '../../../infra/postgres/postgres.ts';
import { isRunning } from '../../../infra/process-identity.mjs';

const lockName = 'owner.lock';
const log = (sentence) => process.stderr.write(`${sentence}\n`);
const quickSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Jest calls it once, before the first test of the tier; `jest-infrastructure-teardown.mjs` undoes it. */
export default async function startInfrastructure() {
  const wanted = wantedParts();
  if (wanted.length === 0) return;
  const runs = sharedDirectory('integration-tests');
  await removeLeftRuns(runs);
  const directory = mkdtempSync(join(runs, 'run-'));
  chmodSync(directory, 0o755);
  acquireLock(join(directory, lockName));
  const running = [];
  stopWithProcess(running, directory);
  const starts = await Promise.allSettled(wanted.map((part) => part(directory).then((started) => running.push(started))));
  globalThis.compassoInfrastructure = { stop: () => stopAll(running, directory) };
  const failure = starts.find(({ status }) => status === 'rejected');
  if (failure !== undefined) {
    await stopAll(running, directory);
    throw failure.reason;
  }
}

function wantedParts() {
  const given = (name) => (process.env[name] ?? '') !== '';
  return [
    ...(given('COMPASSO_TEST_KAFKA_BROKERS') ? [] : [startTestKafka]),
    ...(given('COMPASSO_TEST_POSTGRES_URL') ? [] : [startTestPostgres]),
  ];
}

async function startTestKafka(directory) {
  const kafka = await startKafka({ directory: join(directory, 'kafka'), log });
  process.env.COMPASSO_TEST_KAFKA_BROKERS = kafka.brokers;
  return kafka;
}

async function startTestPostgres(directory) {
  const postgres = await startPostgres({ directory: join(directory, 'postgres'), log, settings: quickSettings });
  process.env.COMPASSO_TEST_POSTGRES_URL = postgres.superuserUrl;
  return postgres;
}

async function stopAll(running, directory) {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
}

// Jest does not tear down when it is interrupted or dies of an error: then there is no time to stop gently.
function stopWithProcess(running, directory) {
  process.once('exit', () => {
    for (const server of running) server.kill('SIGKILL');
    if (running.length > 0) rmSync(directory, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      void stopAll(running, directory).finally(() => process.exit(1));
    });
  }
}

async function removeLeftRuns(runs) {
  for (const name of readdirSync(runs)) {
    const directory = join(runs, name);
    const owner = ownerOf(join(directory, lockName));
    if (owner === undefined || isRunning(owner)) continue;
    await endLeftover(join(directory, 'kafka', 'kafka.pid.json'));
    await endLeftover(join(directory, 'postgres', 'postgres.pid.json'));
    rmSync(directory, { recursive: true, force: true });
  }
}
