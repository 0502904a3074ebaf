import { sqlMigration } from '@compasso/postgres';
import { type PrivateDatabase, privateDatabase } from '@compasso/testing';
import { describeUnitOfWork, featureTablesSql } from '../ports/unit-of-work.features.ts';
import { messagingMigrations } from './migrations.ts';
import { PostgresUnitOfWork } from './postgres-unit-of-work.ts';

const opened: PrivateDatabase[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.drop()));
});

describeUnitOfWork('Postgres', async () => {
  const database = await privateDatabase([
    ...messagingMigrations,
    sqlMigration(1764500000009, 'FeatureTables', featureTablesSql),
  ]);
  opened.push(database);
  return new PostgresUnitOfWork(database.hot);
});
