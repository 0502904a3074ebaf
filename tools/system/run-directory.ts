// Where one running system keeps everything: data, keys, logs, pids, and what others need to know
// about it.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { endLeftover, killLeftover } from '../../infra/child.ts';
import { acquireLock, ownerOf } from '../../infra/lock.mjs';
import { isRunning, type ProcessIdentity } from '../../infra/process-identity.mjs';

export type RunDirectory = {
  readonly path: string;
  readonly data: (name: string) => string;
  readonly logFile: (name: string, replica: number) => string;
  readonly pidFile: (name: string, replica: number) => string;
  readonly keys: string;
  readonly stateFile: string;
  readonly databasePasswords: string;
};

export const repository = resolve(import.meta.dirname, '..', '..');
export const defaultDirectory = join(repository, '.compasso', 'system');
const lockName = 'supervisor.lock';

export function runDirectory(path: string = defaultDirectory): RunDirectory {
  const root = resolve(path);
  return {
    path: root,
    data: (name) => join(root, name),
    logFile: (name, replica) => join(root, 'logs', `${name}-${replica}.log`),
    pidFile: (name, replica) => join(root, 'pids', `${name}-${replica}.json`),
    keys: join(root, 'keys'),
    stateFile: join(root, 'state.json'),
    databasePasswords: join(root, 'database-passwords.json'),
  };
}

/** Makes the directory ours until `release`, and ends what a killed supervisor has left in it. */
export async function takeRunDirectory(
  directory: RunDirectory,
  { fresh }: { fresh: boolean },
): Promise<() => void> {
  mkdirSync(directory.path, { recursive: true });
  const lock = acquireLock(join(directory.path, lockName));
  if (lock.release === undefined) {
    throw new CodedError('system_running', `a system is already running in ${directory.path}`, {
      pid: lock.owner.pid,
    });
  }
  await endLeftovers(directory);
  for (const name of fresh ? readdirSync(directory.path) : []) {
    if (name !== lockName) rmSync(join(directory.path, name), { recursive: true, force: true });
  }
  return lock.release;
}

/** The process that supervises the system in this directory, when there is one. */
export function supervisorOf(directory: RunDirectory): ProcessIdentity | undefined {
  const owner = ownerOf(join(directory.path, lockName));
  return owner !== undefined && isRunning(owner) ? owner : undefined;
}

/** @returns how many processes were left. */
export async function endLeftovers(directory: RunDirectory): Promise<number> {
  const ended = await Promise.all(pidFilesIn(directory).map((file) => endLeftover(file)));
  return ended.filter(Boolean).length;
}

/** For a supervisor that is about to exit and has no time to wait. */
export function killLeftovers(directory: RunDirectory): void {
  pidFilesIn(directory).forEach(killLeftover);
}

function pidFilesIn(directory: RunDirectory): string[] {
  const services = join(directory.path, 'pids');
  const files = existsSync(services)
    ? readdirSync(services).map((name) => join(services, name))
    : [];
  const infrastructure = ['kafka', 'postgres'].map((name) =>
    join(directory.data(name), `${name}.pid.json`),
  );
  return [...files, ...infrastructure].filter((file) => existsSync(file));
}
