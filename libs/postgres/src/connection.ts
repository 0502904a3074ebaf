// node-postgres says goodbye and waits for the answer; over a network that has gone dark it waits for ever (field failure
// G-12). Cutting the socket is always possible, and the server sees the end of it.
import type { Client, PoolClient } from 'pg';

export function cutConnection(client: Client | PoolClient): void {
  const { connection } = client as unknown as { readonly connection?: { readonly stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}
