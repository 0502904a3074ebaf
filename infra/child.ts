// A process that we start and answer for. It runs in a process group of its own, so that Ctrl-C
// reaches only the one who started it, who then stops all in the right order. What it prints goes
// straight to a file: a pipe would break, and take the child along, when the one who started it is
// killed.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CodedError } from '@compasso/kernel';
import {
  endProcess,
  identityOf,
  type ProcessIdentity,
  signalProcess,
} from './process-identity.mjs';

export type ChildExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type RunningChild = {
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<ChildExit>;
};

export type ChildOptions = {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Names the running process, so that whoever comes after a killed run can end what it left. */
  readonly pidFile: string;
  readonly workingDirectory?: string;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly stopSignal?: NodeJS.Signals;
  readonly stopGraceMs?: number;
};

type Leftover = ProcessIdentity & { readonly stopSignal: NodeJS.Signals };

const logTailLines = 15;

export async function startChild(options: ChildOptions): Promise<RunningChild> {
  await endLeftover(options.pidFile);
  const { stopSignal = 'SIGTERM', stopGraceMs = 15_000 } = options;
  const child = spawnDetached(options);
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await hasSpawned(child, options.command);
  const pid = child.pid as number;
  recordPid(options.pidFile, pid, stopSignal);
  const ended = exited.then((exit) => {
    if (readLeftover(options.pidFile)?.pid === pid) rmSync(options.pidFile, { force: true });
    return exit;
  });
  return {
    pid,
    exited: ended,
    kill: (signal) => void child.kill(signal),
    stop: () => stopChild(child, ended, stopSignal, stopGraceMs),
  };
}

/** Ends the process that a pid file names, when it still runs. */
export async function endLeftover(pidFile: string, graceMs = 10_000): Promise<boolean> {
  const leftover = readLeftover(pidFile);
  if (leftover === undefined) return false;
  await endProcess(leftover, { signal: leftover.stopSignal, graceMs });
  rmSync(pidFile, { force: true });
  return true;
}

/** The same without waiting, for a process that is about to exit itself. */
export function killLeftover(pidFile: string): void {
  const leftover = readLeftover(pidFile);
  if (leftover !== undefined) signalProcess(leftover, 'SIGKILL');
}

/**
 * The last lines of a log file, from byte `start` on: what a person needs to see when a child has
 * died at its start.
 */
export function logTail(logFile: string, start = 0): string {
  try {
    const said = readFileSync(logFile).subarray(start).toString('utf8');
    return said.trimEnd().split('\n').slice(-logTailLines).join('\n');
  } catch {
    return '';
  }
}

function spawnDetached(options: ChildOptions): ChildProcess {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const output = openSync(options.logFile, 'a');
  try {
    return spawn(options.command, options.arguments, {
      detached: true,
      stdio: ['ignore', output, output],
      env: options.environment,
      ...(options.workingDirectory === undefined ? {} : { cwd: options.workingDirectory }),
      ...options.user,
    });
  } finally {
    closeSync(output);
  }
}

async function hasSpawned(child: ChildProcess, command: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => {
      reject(
        new CodedError(
          'command_not_started',
          `cannot start ${command}: ${cause.message}`,
          { command },
          { cause },
        ),
      );
    });
  });
}

// A child that is already gone has no identity; then there is nothing to leave behind either.
function recordPid(pidFile: string, pid: number, stopSignal: NodeJS.Signals): void {
  const identity = identityOf(pid);
  if (identity === undefined) return;
  mkdirSync(dirname(pidFile), { recursive: true });
  writeFileSync(pidFile, JSON.stringify({ ...identity, stopSignal } satisfies Leftover));
}

function readLeftover(pidFile: string): Leftover | undefined {
  try {
    return JSON.parse(readFileSync(pidFile, 'utf8')) as Leftover;
  } catch {
    return undefined;
  }
}

async function stopChild(
  child: ChildProcess,
  exited: Promise<ChildExit>,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<ChildExit> {
  child.kill(signal);
  const patience = new AbortController();
  const outOfPatience = pause(graceMs, 'late' as const, { signal: patience.signal }).catch(
    () => 'late' as const,
  );
  const first = await Promise.race([exited, outOfPatience]);
  patience.abort();
  if (first === 'late') child.kill('SIGKILL');
  return exited;
}
