// The service's connections: a plain pool for the hot path, with the planner pinned, and TypeORM for reads and migrations.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { databaseLimits } from './limits.ts';
import { runMigrations } from './migrations.ts';
import { isConnectionLost } from './sqlstate.ts';

export interface DatabaseOptions {
  readonly url: string;
  /** Shows in pg_stat_activity. */
  readonly applicationName: string;
  readonly migrations: readonly (new () => MigrationInterface)[];
  /** More writers than this only queue inside the server (performance.md 1b). */
  readonly hotConnectionsMax?: number;
  readonly readConnectionsMax?: number;
  readonly onConnectionError?: (error: Error) => void;
}

export interface Database {
  readonly url: string;
  readonly hot: pg.Pool;
  readonly reads: DataSource;
  close(): Promise<void>;
}

/** Runs outstanding migrations under a lock, then opens both pools. Waits a while for a database that is just starting. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  await whenReachable(() => runMigrations(options.url, options.migrations), options.onConnectionError);
  const hot = hotPool(options);
  const reads = await readSource(options);
  return {
    url: options.url,
    hot,
    reads,
    async close() {
      await Promise.allSettled([hot.end(), reads.destroy()]);
    },
  };
}

async function whenReachable(
  work: () => Promise<void>,
  onConnectionError: DatabaseOptions['onConnectionError'],
): Promise<void> {
  const deadline = performance.now() + databaseLimits.startWithinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLost(error) || performance.now() > deadline) throw error;
      onConnectionError?.(error);
      await pause(databaseLimits.startPauseMs);
    }
  }
}

/** One startup parameter per limit, so that a frozen or confused client cannot forget to set them. */
const settings = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

const limits = {
  lock_timeout: databaseLimits.lockTimeoutMs,
  statement_timeout: databaseLimits.statementTimeoutMs,
  idle_in_transaction_session_timeout: databaseLimits.idleInTransactionTimeoutMs,
  transaction_timeout: databaseLimits.transactionTimeoutMs,
};

/** Plans made while tables are empty stay until ANALYZE; every statement of the hot path wants index nested loops. */
const pinnedPlanner = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', jit: 'off' };

function hotPool(options: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.hotConnectionsMax ?? 8,
    connectionTimeoutMillis: databaseLimits.acquireTimeoutMs,
    query_timeout: databaseLimits.clientQueryTimeoutMs,
    keepAlive: true,
    // Statements that do not wait for each other's answers leave together.
    pipeline: true,
    options: settings({ ...limits, ...pinnedPlanner }),
    types: { getTypeParser: hotTypeParser as typeof pg.types.getTypeParser },
  });
  // Without listeners a cut idle connection ends the process (field failure G-01).
  pool.on('error', (error) => options.onConnectionError?.(error));
  pool.on('connect', (client) => client.on('error', (error) => options.onConnectionError?.(error)));
  return pool;
}

/** For tools that judge whole tables: the same kinds of values, and no time limits. */
export function openReader(url: string, applicationName: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: applicationName,
    max: 2,
    types: { getTypeParser: hotTypeParser as typeof pg.types.getTypeParser },
  });
  pool.on('error', () => undefined);
  return pool;
}

const parseTimestamp = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date;

/** The kinds of table columns: exact integers, instants in milliseconds, dates as they are written. */
function hotTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  switch (oid) {
    case pg.types.builtins.INT8:
      return BigInt;
    case pg.types.builtins.TIMESTAMPTZ:
      return (text) => parseTimestamp(text).getTime();
    case pg.types.builtins.DATE:
      return (text) => text;
    default:
      return pg.types.getTypeParser(oid, (format ?? 'text') as 'text');
  }
}

async function readSource(options: DatabaseOptions): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: `${options.applicationName}-reads`,
    poolErrorHandler: (error: Error) => options.onConnectionError?.(error),
    connectTimeoutMS: databaseLimits.acquireTimeoutMs,
    entities: [],
    extra: {
      max: options.readConnectionsMax ?? 4,
      query_timeout: databaseLimits.clientQueryTimeoutMs,
      keepAlive: true,
      options: settings(limits),
    },
  });
  return source.initialize();
}
