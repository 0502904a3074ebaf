// Ports that stay the same from run to run when nothing is in the way. A claim is a lock file
// between our own runs, because between choosing a port and listening on it a second run would
// choose the same one.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { sharedDirectory } from './directories.ts';
import { acquireLock } from './lock.mjs';

export type PortClaim = { readonly port: number; release(): void };

const portsTriedMax = 200;
export const loopback = '127.0.0.1';

/** Claims `first`, or the next port after it that is free. */
export async function claimPort(first: number): Promise<PortClaim> {
  for (let port = first; port < first + portsTriedMax; port += 1) {
    const claim = acquireLock(join(sharedDirectory('ports'), `${port}.lock`));
    if (claim.release === undefined) continue;
    if (await isFree(port)) return { port, release: claim.release };
    claim.release();
  }
  throw new CodedError(
    'no_free_port',
    `no free port from ${first} to ${first + portsTriedMax - 1}`,
    { first },
  );
}

export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: loopback, exclusive: true }, () =>
      server.close(() => resolve(true)),
    );
  });
}
