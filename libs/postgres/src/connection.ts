// node-postgres says goodbye and waits for the answer; over a network that has gone dark it waits for ever (field failure
// G-12). Cutting the socket is always possible, and the server sees the end of it.
import type { Socket } from 'node:net';
import type { Client, PoolClient } from 'pg';

export function cutConnection(client: Client | PoolClient): void {
  streamOf(client)?.destroy();
}

/** Statements that are sent before the event loop turns leave in one system call instead of one each. */
export function gatherWrites(client: Client | PoolClient): void {
  const stream = streamOf(client);
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

const streamOf = (client: Client | PoolClient): Socket | undefined =>
  (client as unknown as { readonly connection?: { readonly stream?: Socket } }).connection?.stream;
