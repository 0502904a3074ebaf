// A system that outlives whoever starts it: started, opened and stopped from other processes,
// through the run directory.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import type { Log } from '../../infra/log.ts';
import { logTail } from '../../infra/child.ts';
import {
  endProcess,
  identityOf,
  isRunning,
  type ProcessIdentity,
} from '../../infra/process-identity.mjs';
import { until } from '../../infra/until.ts';
import type { ProcessName } from './names.ts';
import { endLeftovers, type RunDirectory, runDirectory, supervisorOf } from './run-directory.ts';
import { type ProcessReport, readState, type RunState } from './run-state.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import type { RunningProcess, System } from './system.ts';
import type { PortableOptions } from './system-options.ts';

/** The supervisor gives up earlier by itself, and says why. */
const startWithinMs = 1_500_000;
const restartWithinMs = 180_000;
const stopWithinMs = 90_000;
const heartbeatMs = 10_000;

export type Started = { readonly system: System; readonly wasRunning: boolean };

/**
 * Resolves when every process is ready. Of two that start at once, one starts the system and both
 * get it.
 */
export async function startDetachedSystem(options: PortableOptions, log: Log): Promise<Started> {
  const directory = runDirectory(options.directory);
  const wasRunning = supervisorOf(directory) !== undefined;
  if (!wasRunning) log('starting the system');
  const supervisor = wasRunning ? supervisorOf(directory) : spawnSupervisor(directory, options);
  const watch = stopOnSignals(async () => {
    if (wasRunning || supervisor === undefined) return;
    await endProcess(supervisor, { graceMs: stopWithinMs });
    await endLeftovers(directory);
  });
  const heartbeat = startHeartbeat(directory.logFile('supervisor', 1), log);
  try {
    const waiting = { what: 'the system to be ready', withinMs: startWithinMs, everyMs: 100 };
    await until(() => isReady(directory, supervisor), waiting);
  } finally {
    clearInterval(heartbeat);
    watch.end();
  }
  const system = openSystem(options.directory);
  return {
    system,
    wasRunning: wasRunning || runningState(directory)?.supervisor.pid !== supervisor?.pid,
  };
}

// Says what the supervisor said last: it may be downloading.
function startHeartbeat(logFile: string, log: Log): NodeJS.Timeout {
  const since = performance.now();
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  return setInterval(() => {
    const seconds = Math.round((performance.now() - since) / 1_000);
    const last = logTail(logFile, logStart).split('\n').at(-1) ?? '';
    const what = last.slice(last.indexOf(' ') + 1);
    log(`still starting (${seconds} s)${what === '' ? '' : `: ${what}`}`);
  }, heartbeatMs);
}

/** The system that runs in a directory, wherever it was started. */
export function openSystem(path?: string): System {
  const directory = runDirectory(path);
  const state = runningState(directory);
  if (state === undefined)
    throw new CodedError('no_system', `no system is running in ${directory.path}: npm run up`);
  const now = () => runningState(directory)?.processes ?? [];
  const find = (name: ProcessName, replica: number) =>
    now().find((one) => one.name === name && one.replica === replica);
  return {
    directory: state.directory,
    keysDirectory: state.keysDirectory,
    addresses: state.addresses,
    managementAddresses: state.managementAddresses,
    databaseUrls: state.databaseUrls as System['databaseUrls'],
    brokers: state.brokers,
    topicPrefix: state.topicPrefix,
    processes: () => now().filter(isAlive),
    kill: (name, replica, signal) => killOne(find(name, replica), signal, `${name} ${replica}`),
    waitReady: async () => {
      await until(() => now().length > 0 && now().every(({ ready }) => ready), {
        what: 'all processes',
        withinMs: startWithinMs,
      });
    },
    waitRestarted: async (name, replica, previousPid) => {
      const isSuccessor = (one?: ProcessReport) =>
        one?.ready === true && one.pid !== previousPid && one.pid;
      return until(() => isSuccessor(find(name, replica)) || undefined, {
        what: `${name} ${replica} to be back`,
        withinMs: restartWithinMs,
      });
    },
    stop: async () => void (await stopDetachedSystem(path)),
  };
}

/** @returns whether there was anything to stop: a running system, or what a killed one had left. */
export async function stopDetachedSystem(path?: string): Promise<boolean> {
  const directory = runDirectory(path);
  const supervisor = supervisorOf(directory);
  if (supervisor !== undefined) {
    await endProcess(supervisor, { graceMs: stopWithinMs });
  }
  const left = await endLeftovers(directory);
  return supervisor !== undefined || left > 0;
}

/** What the supervisor of a directory says of its system, while it lives. */
export function runningState(directory: RunDirectory): RunState | undefined {
  const supervisor = supervisorOf(directory);
  const state = readState(directory.stateFile);
  return supervisor !== undefined && state?.supervisor.startedAt === supervisor.startedAt
    ? state
    : undefined;
}

function spawnSupervisor(
  directory: RunDirectory,
  options: PortableOptions,
): ProcessIdentity | undefined {
  const logFile = directory.logFile('supervisor', 1);
  mkdirSync(dirname(logFile), { recursive: true });
  const output = openSync(logFile, 'a');
  const child = spawn(
    process.execPath,
    [...process.execArgv, join(import.meta.dirname, 'supervise.ts'), JSON.stringify(options)],
    { detached: true, stdio: ['ignore', output, output] },
  );
  closeSync(output);
  child.unref();
  return child.pid === undefined ? undefined : identityOf(child.pid);
}

function isReady(directory: RunDirectory, supervisor: ProcessIdentity | undefined): boolean {
  const state = runningState(directory);
  if (state?.phase === 'ready') return true;
  const isStarting = supervisor !== undefined && isRunning(supervisor);
  // Another one may have been quicker: then its system is the one to wait for.
  if (isStarting || supervisorOf(directory) !== undefined) return false;
  const last = readState(directory.stateFile);
  const failure = last?.supervisor.pid === supervisor?.pid ? last?.failure : undefined;
  const logFile = directory.logFile('supervisor', 1);
  throw new CodedError(
    failure?.code ?? 'not_started',
    failure?.message ?? `the supervisor ended:\n${logTail(logFile)}`,
  );
}

function isAlive(process: ProcessReport): process is RunningProcess {
  return process.pid !== null;
}

function killOne(found: ProcessReport | undefined, signal: NodeJS.Signals, title: string): number {
  if (found === undefined || !isAlive(found))
    throw new CodedError('not_running', `${title} is not running now`);
  process.kill(found.pid, signal);
  return found.pid;
}
