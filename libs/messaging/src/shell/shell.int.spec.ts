import { createLogger } from '@compasso/observability';
import { sqlMigration } from '@compasso/postgres';
import { createTopics, privateDatabase, privatePrefix, testBrokers } from '@compasso/testing';
import { ledgerEvents } from '@compasso/contracts';
import { KafkaTransport } from '../kafka/kafka-transport.ts';
import { messagingMigrations } from '../postgres/migrations.ts';
import { PostgresUnitOfWork } from '../postgres/postgres-unit-of-work.ts';
import { describeShell } from './shell.features.ts';
import { tallySql, tallyTopics } from './tally.fixture.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const logger = createLogger({ service: 'tests', replica: '1', level: 'silent' });

describeShell('Postgres and Kafka', async () => {
  const topicPrefix = privatePrefix();
  const [database] = await Promise.all([
    privateDatabase([...messagingMigrations, sqlMigration(1764500000009, 'Tally', tallySql)]),
    createTopics(topicPrefix, [...tallyTopics, ledgerEvents]),
  ]);
  const transport = new KafkaTransport(
    { brokers: testBrokers(), clientId: 'tests', topicPrefix, logger },
    () => undefined,
  );
  closing.push(() => database.drop(), () => transport.close());
  const unitOfWork = new PostgresUnitOfWork(database.hot);
  return {
    unitOfWork,
    transport,
    rowsOf: (table) =>
      unitOfWork.run((transaction) => transaction.oldest(table, { column: table.key.at(-1)!, limit: 10_000 })),
  };
});
