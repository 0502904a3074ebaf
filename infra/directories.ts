// Where things live that are not part of the clone: downloads, and what another user than ours must
// be able to read.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CodedError } from '@compasso/kernel';

export type SystemUser = { readonly uid: number; readonly gid: number };

const everyoneMayEnter = 0o001;
const othersMayWrite = 0o022;

/** Downloads are kept here between clones: `COMPASSO_CACHE`, or the user's cache directory. */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment['COMPASSO_CACHE'];
  if (given !== undefined && given !== '') return resolve(given);
  const home = environment['XDG_CACHE_HOME'];
  return join(home === undefined || home === '' ? join(homedir(), '.cache') : home, 'compasso');
}

/** A directory of ours below the system's temporary one, which `reader` can enter as well. */
export function sharedDirectory(name: string, reader?: SystemUser): string {
  const parent = [tmpdir(), '/tmp', '/var/tmp'].find((candidate) => canEnter(candidate, reader));
  if (parent === undefined) {
    throw new CodedError(
      'no_shared_directory',
      'the system has no temporary directory that all users can enter',
    );
  }
  const root = join(parent, `compasso-${process.getuid?.() ?? 'user'}`);
  ownDirectory(root);
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  return directory;
}

/**
 * Makes a directory whose content is all there as soon as its name is. It is filled under another
 * name first; of two processes that fill the same one, the second throws its copy away.
 */
export async function placeOnce(
  target: string,
  fill: (draft: string) => Promise<void>,
): Promise<void> {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  const draft = mkdtempSync(`${target}.`);
  try {
    await fill(draft);
    chmodSync(draft, 0o755);
    renameSync(draft, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whether `user` may pass through every directory on the way to `path`. */
export function canEnter(path: string, user?: SystemUser): boolean {
  if (user === undefined) return true;
  for (let directory = resolve(path); ; directory = dirname(directory)) {
    const entry = statSync(directory, { throwIfNoEntry: false });
    if (entry !== undefined && !maySearch(entry, user)) return false;
    if (directory === dirname(directory)) return true;
  }
}

function maySearch(entry: { mode: number; uid: number; gid: number }, user: SystemUser): boolean {
  if (entry.uid === user.uid) return (entry.mode & (everyoneMayEnter << 6)) !== 0;
  if (entry.gid === user.gid) return (entry.mode & (everyoneMayEnter << 3)) !== 0;
  return (entry.mode & everyoneMayEnter) !== 0;
}

// The temporary directory belongs to everybody: a directory that somebody else placed there under
// our name could hand us a server to run.
function ownDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const entry = lstatSync(path);
  const ours =
    entry.isDirectory() && (process.getuid === undefined || entry.uid === process.getuid());
  if (!ours || (entry.mode & othersMayWrite) !== 0) {
    throw new CodedError('foreign_directory', `${path} exists and is not ours alone: remove it`, {
      path,
    });
  }
  chmodSync(path, 0o755);
}
