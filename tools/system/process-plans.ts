// How each process of the system is started, and how one tells that it serves.
import { join } from 'node:path';
import { startChild } from '../../infra/child.ts';
import { startKafka } from '../../infra/kafka/kafka.ts';
import type { Log } from '../../infra/log.ts';
import { startPostgres } from '../../infra/postgres/postgres.ts';
import type { ServiceName } from './names.ts';
import { isServiceReady } from './readiness.ts';
import { repository, type RunDirectory } from './run-directory.ts';
import type { ProcessPlan } from './supervised-process.ts';

const nodeBinary = join(repository, 'node_modules', 'node', 'bin', 'node');
// The transport's timers warn on this Node without any effect (docs/decisions, kafkajs).
// Seven processes share the cores here: collectors that go side by side only get in each other's way.
const nodeFlags = ['--disable-warning=TimeoutNegativeWarning', '--single-threaded-gc', '--max-semi-space-size=64'];
const serviceFailuresMax = 4;
/** Longer than a service takes to finish its batch and close its connections. */
const serviceStopGraceMs = 20_000;

export function kafkaPlan(directory: RunDirectory, port: number, log: Log): ProcessPlan {
  const data = directory.data('kafka');
  return {
    name: 'kafka',
    replica: 1,
    logFile: join(data, 'kafka.log'),
    failuresBeforeReadyMax: 1,
    start: async (signal) => startKafka({ directory: data, port, log, signal }),
    isReady: async () => true,
  };
}

export type PostgresPlan = ProcessPlan & { superuserUrl(): string };

export function postgresPlan(
  directory: RunDirectory,
  port: number,
  { log, settings }: { log: Log; settings: Readonly<Record<string, string>> },
): PostgresPlan {
  const data = directory.data('postgres');
  let superuserUrl = '';
  return {
    name: 'postgres',
    replica: 1,
    logFile: join(data, 'postgres.log'),
    failuresBeforeReadyMax: 1,
    superuserUrl: () => superuserUrl,
    start: async (signal) => {
      const server = await startPostgres({ directory: data, port, log, settings, signal });
      superuserUrl = server.superuserUrl;
      return server;
    },
    isReady: async () => true,
  };
}

export type ServicePlace = {
  readonly service: ServiceName;
  readonly replica: number;
  readonly address: string;
  readonly managementAddress: string;
  environment(): NodeJS.ProcessEnv;
};

export function servicePlan(directory: RunDirectory, place: ServicePlace): ProcessPlan {
  const { service, replica, address, managementAddress } = place;
  const logFile = directory.logFile(service, replica);
  return {
    name: service,
    replica,
    address,
    managementAddress,
    logFile,
    failuresBeforeReadyMax: serviceFailuresMax,
    start: async () =>
      startChild({
        command: nodeBinary,
        arguments: [...nodeFlags, join(repository, 'apps', service, 'dist', 'main.js')],
        environment: place.environment(),
        logFile,
        pidFile: directory.pidFile(service, replica),
        stopGraceMs: serviceStopGraceMs,
      }),
    isReady: async () => isServiceReady(managementAddress),
  };
}
