// A database of its own per test: no shared fixtures, no cleaning between tests.
import { randomBytes } from 'node:crypto';
import { CodedError } from '@compasso/kernel';
import { type Database, openDatabase } from '@compasso/postgres';
import pg from 'pg';
import type { MigrationInterface } from 'typeorm';

export interface PrivateDatabase extends Database {
  /** Closes the pools and drops the database. */
  drop(): Promise<void>;
}

const superuserUrl = (): string => {
  const url = process.env['COMPASSO_TEST_POSTGRES_URL'];
  if (url === undefined) {
    throw new CodedError('no_test_postgres', 'COMPASSO_TEST_POSTGRES_URL is not set: run the int tier.');
  }
  return url;
};

const asSuperuser = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: superuserUrl() });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};

export interface PrivateDatabaseOptions {
  readonly hotConnectionsMax?: number;
}

export async function privateDatabase(
  migrations: readonly (new () => MigrationInterface)[],
  options: PrivateDatabaseOptions = {},
): Promise<PrivateDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asSuperuser(`create database ${name}`);
  const url = new URL(superuserUrl());
  url.pathname = `/${name}`;
  const database = await openDatabase({
    url: url.toString(),
    applicationName: name,
    migrations,
    ...options,
  });
  return {
    ...database,
    async drop() {
      await database.close();
      await asSuperuser(`drop database if exists ${name} with (force)`);
    },
  };
}
