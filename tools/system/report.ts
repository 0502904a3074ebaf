// What `up` and `status` say about a system, for programs and for people.
import { supervisorOf, type RunDirectory } from './run-directory.ts';
import { runningState } from './detached-system.ts';
import { type Addresses, type DatabaseUrls, serviceNames } from './names.ts';
import { isServiceReady } from './readiness.ts';
import type { ProcessReport } from './run-state.ts';

export type SystemReport = {
  readonly running: boolean;
  readonly phase?: string;
  readonly processes: readonly ProcessReport[];
  readonly addresses: Partial<Addresses>;
  readonly managementAddresses: Partial<Addresses>;
  readonly databaseUrls: Partial<DatabaseUrls>;
  readonly brokers?: string;
  readonly topicPrefix?: string;
  readonly directory: string;
  readonly keysDirectory: string;
  readonly otlp?: string;
};

const nothing = { processes: [], addresses: {}, managementAddresses: {}, databaseUrls: {} };

/** Readiness is asked of the services now; what the supervisor saw last may be old. */
export async function reportOn(directory: RunDirectory): Promise<SystemReport> {
  const state = runningState(directory);
  const running = supervisorOf(directory) !== undefined;
  if (state === undefined)
    return { running, ...nothing, directory: directory.path, keysDirectory: directory.keys };
  const { supervisor: _supervisor, failure: _failure, ...told } = state;
  return {
    running,
    ...told,
    processes: await Promise.all(state.processes.filter(hasPid).map(asked)),
  };
}

export function inWords(report: SystemReport): string {
  if (!report.running) return `nothing is running in ${report.directory}\n`;
  const rows = report.processes.map(({ name, replica, pid, ready, address }) =>
    [
      name.padEnd(20),
      String(replica).padEnd(3),
      String(pid).padEnd(8),
      (ready ? 'ready' : 'not ready').padEnd(11),
      address ?? '',
    ]
      .join('')
      .trimEnd(),
  );
  const places = [
    `kafka      ${report.brokers ?? ''}`,
    ...Object.entries(report.databaseUrls).map(
      ([owner, url]) => `database   ${owner}: ${withoutPassword(url)}`,
    ),
    `logs       ${report.directory}/logs`,
  ];
  return `${[...rows, '', ...places].join('\n')}\n`;
}

async function asked(process: ProcessReport): Promise<ProcessReport> {
  const isService = serviceNames.some((service) => service === process.name);
  if (!isService || process.managementAddress === undefined) return process;
  return { ...process, ready: await isServiceReady(process.managementAddress) };
}

function hasPid(process: ProcessReport): boolean {
  return process.pid !== null;
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  return url.href;
}
