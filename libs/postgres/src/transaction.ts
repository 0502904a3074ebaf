// The only place that opens a transaction on the hot path: it always ends it, and never gives a doubtful connection back.
import { CodedError } from '@compasso/kernel';
import type pg from 'pg';
import { cutConnection } from './connection.ts';
import { isConnectionLost } from './sqlstate.ts';

export interface OpenTransaction {
  readonly client: pg.PoolClient;
  /** The database's clock at the start, in milliseconds since the epoch. */
  readonly startedAt: number;
}

export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (transaction: OpenTransaction) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  // A fenced generation must not commit whatever it awaits at this moment: its socket is destroyed.
  const cut = (): void => cutConnection(client);
  signal?.addEventListener('abort', cut, { once: true });
  let broken: Error | undefined;
  try {
    signal?.throwIfAborted();
    const startedAt = await begin(client);
    const result = await work({ client, startedAt });
    signal?.throwIfAborted();
    await client.query('commit');
    return result;
  } catch (error) {
    broken = await rollback(client, error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', cut);
    client.release(broken);
  }
}

async function begin(client: pg.PoolClient): Promise<number> {
  const results = (await client.query(
    'begin; select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  )) as unknown as [unknown, pg.QueryResult<{ now: number }>];
  return results[1].rows[0]!.now;
}

/** Returns an error when the connection must be destroyed because its state is unknown (field failure G-04). */
async function rollback(client: pg.PoolClient, cause: unknown): Promise<Error | undefined> {
  if (isConnectionLost(cause)) {
    // Nothing answers there: a rollback would wait once more for as long as the statement did.
    cutConnection(client);
    return cause;
  }
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new CodedError('rollback_failed', 'The transaction could not be undone.');
  }
}
