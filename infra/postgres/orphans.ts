// A killed postmaster leaves backends that still hold its shared memory, and a file with its pid.
// Both keep a new one from starting, the second for as long as any process happens to have that
// pid.
import { readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, identityOf } from '../process-identity.mjs';

/** Whoever calls this owns the data directory: no server may run in it. */
export async function clearOrphans(data: string): Promise<void> {
  // Elsewhere there is no cheap way to tell whose backend a process is: the start is repeated until
  // they are gone.
  if (process.platform !== 'linux') return;
  await Promise.all(
    processesIn(realpathSync(data)).map((orphan) => endProcess(orphan, { signal: 'SIGKILL' })),
  );
  rmSync(join(data, 'postmaster.pid'), { force: true });
}

// Every Postgres process has the data directory as its working directory.
function processesIn(directory: string) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && workingDirectoryOf(name) === directory)
    .map((name) => identityOf(Number(name)))
    .filter((identity) => identity !== undefined);
}

function workingDirectoryOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
