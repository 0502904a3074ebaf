// Migrations run one at a time per database, whoever starts first: the lock is held on one direct connection for the whole
// run, so that replicas that start together neither collide nor serve an older schema (field failure G-08).
import pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';

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

export async function runMigrations(
  url: string,
  migrations: readonly (new () => MigrationInterface)[],
): Promise<void> {
  const guard = new pg.Client({ connectionString: url, application_name: 'migrations' });
  guard.on('error', () => undefined);
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
    const source = new DataSource({
      type: 'postgres',
      url,
      applicationName: 'migrations',
      entities: [],
      migrations: [...migrations],
      migrationsTransactionMode: 'each',
      extra: { max: 1 },
    });
    await source.initialize();
    try {
      await source.runMigrations();
    } finally {
      await source.destroy();
    }
  } finally {
    await guard.end();
  }
}
