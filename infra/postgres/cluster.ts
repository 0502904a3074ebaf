import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import type { SystemUser } from '../directories.ts';
import { run } from '../run.ts';

export type Cluster = { readonly data: string; readonly superuserPassword: string };

export const superuser = 'postgres';

export type ClusterWish = {
  readonly initdb: string;
  readonly user: SystemUser | undefined;
  /** False: does not wait for the disk. */
  readonly durable: boolean;
  readonly signal?: AbortSignal | undefined;
};

/** The cluster in `place`, made when there is none. */
export async function prepareCluster(place: string, wish: ClusterWish): Promise<Cluster> {
  const data = join(place, 'data');
  const passwordFile = join(place, 'superuser-password');
  if (!existsSync(data)) {
    writeOwned(passwordFile, randomBytes(24).toString('hex'), wish.user);
    await initialise(data, passwordFile, wish);
  }
  return { data, superuserPassword: readFileSync(passwordFile, 'utf8') };
}

// The data get their name last: what a killed initdb leaves is never taken for a cluster.
async function initialise(
  data: string,
  passwordFile: string,
  { initdb, user, durable, signal }: ClusterWish,
): Promise<void> {
  const draft = `${data}.preparing`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (user !== undefined) chownSync(draft, user.uid, user.gid);
  const { code, output } = await run(initdb, initdbArguments(draft, { durable, passwordFile }), {
    signal,
    user,
    environment: serverEnvironment(),
    workingDirectory: '/',
  });
  if (code !== 0) {
    throw new CodedError('postgres_not_initialised', `initdb failed: ${output.trim()}`, { code });
  }
  renameSync(draft, data);
}

function initdbArguments(
  data: string,
  { durable, passwordFile }: { durable: boolean; passwordFile: string },
): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Sorts alike on every machine, whatever locales it has.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
}

/**
 * Nothing of ours but the path: a PGPORT or LC_ALL of the person who starts us changes how the
 * server runs.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' };
}

function writeOwned(path: string, content: string, user: SystemUser | undefined): void {
  writeFileSync(path, content, { mode: 0o600 });
  chmodSync(path, 0o600);
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}
