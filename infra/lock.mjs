// A lock between processes that outlives none of them: a file that names its owner, so that the
// lock of a killed run is seen to be stale. Plain JavaScript, because tools/bootstrap.mjs needs it
// before anything is installed.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identityOf, isRunning } from './process-identity.mjs';

/**
 * @returns `{ release }` when the lock is ours now, `{ owner }` when a running process holds it.
 */
export function acquireLock(path) {
  mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    if (placeOwnLock(path)) return { release: () => releaseLock(path) };
    const owner = ownerOf(path);
    if (owner !== undefined && isRunning(owner)) return { owner };
    removeStaleLock(path, owner);
  }
}

export function ownerOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

// A link makes the file appear with its content: nobody ever reads a lock that does not name its
// owner yet.
function placeOwnLock(path) {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(identityOf(process.pid)));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

// Two processes may find the same stale lock at once. Whoever moves it away looks at what was
// moved, and puts it back when it is the fresh lock of the other.
function removeStaleLock(path, stale) {
  const moved = `${path}.${randomUUID()}`;
  try {
    renameSync(path, moved);
    const owner = ownerOf(moved);
    if (owner !== undefined && owner.startedAt !== stale?.startedAt && isRunning(owner))
      linkSync(moved, path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(moved, { force: true });
  }
}

function releaseLock(path) {
  if (ownerOf(path)?.pid === process.pid) rmSync(path, { force: true });
}
