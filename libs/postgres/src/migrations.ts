// Migrations run one at a time per database, whoever starts first: the lock is held on one direct connection for the whole
// run, so that replicas that start together neither collide nor serve an older schema (field failure G-08).
import pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { cutConnection } from './connection.ts';
import { databaseLimits } from './limits.ts';

/** One plain SQL migration. `at` is the 13-digit timestamp that TypeORM orders by. */
export function sqlMigration(at: number, name: string, sql: string): new () => MigrationInterface {
  return class implements MigrationInterface {
    readonly name = `${name}${at}`;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(sql);
    }

    /** Schema changes only ever go forward: a new migration expands or contracts. */
    async down(): Promise<void> {
      return;
    }
  };
}

const migrationLock = 4_202_611_301;

const migrationLimits = {
  /** A process that froze while it migrated gives the lock up after this long; one that is well is heard each second. */
  guardIdleTimeoutMs: 10_000,
  guardPingMs: 1_000,
  /** Above the longest transaction of the hot path: a change of the schema always gets its turn, and queues nobody longer. */
  lockTimeoutMs: databaseLimits.transactionTimeoutMs + 1_000,
  idleInTransactionTimeoutMs: 30_000,
} as const;

export async function runMigrations(
  url: string,
  migrations: readonly (new () => MigrationInterface)[],
): Promise<void> {
  const guard = await openGuard(url);
  let ping: NodeJS.Timeout | undefined;
  try {
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
    ping = setInterval(() => guard.query('select 1').catch(() => undefined), migrationLimits.guardPingMs);
    const { lockTimeoutMs, idleInTransactionTimeoutMs } = migrationLimits;
    const source = new DataSource({
      type: 'postgres',
      url,
      applicationName: 'migrations',
      entities: [],
      migrations: [...migrations],
      migrationsTransactionMode: 'each',
      connectTimeoutMS: databaseLimits.acquireTimeoutMs,
      extra: {
        max: 1,
        options: `-c lock_timeout=${lockTimeoutMs} -c idle_in_transaction_session_timeout=${idleInTransactionTimeoutMs}`,
      },
    });
    await source.initialize();
    try {
      await source.runMigrations();
    } finally {
      await source.destroy();
    }
  } finally {
    clearInterval(ping);
    guard.end().catch(() => undefined);
    cutConnection(guard);
  }
}

async function openGuard(url: string): Promise<pg.Client> {
  const guard = new pg.Client({
    connectionString: url,
    application_name: 'migrations',
    connectionTimeoutMillis: databaseLimits.acquireTimeoutMs,
    options: `-c idle_session_timeout=${migrationLimits.guardIdleTimeoutMs}`,
  });
  guard.on('error', () => undefined);
  await guard.connect();
  return guard;
}
