// The same rebuild over real Kafka, beside a live consumer of the same topics.
import { partitionOf, sourceOfService, transferStatus } from '@compasso/contracts';
import {
  alwaysLeader,
  composeShell,
  KafkaTransport,
  makeExecutor,
  PostgresUnitOfWork,
} from '@compasso/messaging';
import { createLogger } from '@compasso/observability';
import { createTopics, eventually, privateDatabase, privatePrefix, testBrokers } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import { trackedTopics } from '../kafka/reactions.ts';
import { trackerMigrations } from '../postgres/migrations.ts';
import { RebuildStore } from '../postgres/rebuild-store.ts';
import { happyPath, type Message, team, transfer } from '../transfer-messages.fixture.ts';
import { trackerDefinition, trackerRules } from '../transfer-tracker.definition.ts';
import { rebuildProjection } from './rebuild-projection.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const topics = trackedTopics([team]);

async function setup() {
  const topicPrefix = privatePrefix();
  await createTopics(topicPrefix, [...topics, transferStatus]);
  const database = await privateDatabase(trackerMigrations);
  closing.push(() => database.drop());
  const store = await RebuildStore.connect(database.url);
  closing.push(() => store.close());
  const logger = createLogger({ service: 'test', replica: '1', level: 'silent' });
  const kafka = { brokers: testBrokers(), clientId: 'rebuild-spec', topicPrefix, logger };
  const transport = new KafkaTransport(kafka, () => undefined);
  closing.push(() => transport.close());
  const rules = trackerRules(1);
  const common = {
    unitOfWork: new PostgresUnitOfWork(database.hot),
    pauseBeforeRetry: async () => undefined,
    wake: () => undefined,
  };
  const shell = composeShell(trackerDefinition({ requestTeams: [team], rules }), {
    ...common,
    transport,
    leadership: alwaysLeader,
    newId: uuidv7,
    observe: () => undefined,
  });
  const source = sourceOfService('transfer-tracker');
  const staging = { source, newId: uuidv7, topicOf: () => transferStatus };
  return {
    database,
    shell,
    publish: (messages: readonly Message[]) =>
      transport.publish(
        messages.map(({ topic, ...rest }) => ({
          ...rest,
          topic: topic.name,
          partition: partitionOf(rest.key),
        })),
      ),
    rebuild: () =>
      rebuildProjection({
        executor: makeExecutor({ ...common, staging }),
        transport,
        store,
        topics,
        rules,
        tell: () => undefined,
      }),
  };
}

it('reads every topic from offset 0 while a consumer goes on, and both end alike', async () => {
  const { database, shell, publish, rebuild } = await setup();
  const stories = Array.from({ length: 20 }, () => happyPath(transfer(uuidv7(), uuidv7())));
  await publish(stories.flatMap((story) => story.slice(0, 4)));
  await shell.subscribeAll();
  const [report] = await Promise.all([
    rebuild(),
    publish(stories.flatMap((story) => story.slice(4))),
  ]);
  expect(report).toMatchObject({ projection: 2, comparison: { differing: 0, onlyShown: 0 } });
  const states = (): Promise<object[]> =>
    database.reads.query(
      `select state, version, count(*)::int as n from transfer_view v
       join projection p on v.projection = p.current group by state, version`,
    );
  await eventually(async () => (await states()).length === 1 && (await isRead(database)), {
    because: 'the live consumer has read everything',
    withinMs: 60_000,
  });
  expect(await states()).toEqual([{ state: 'completed', version: 6, n: 20 }]);
});

/** Six events of each transfer, all of them through a position of the consumer. */
async function isRead({ reads }: Awaited<ReturnType<typeof setup>>['database']): Promise<boolean> {
  const [row] = await reads.query<{ n: number }[]>(
    `select coalesce(sum(next_offset), 0)::int as n from position`,
  );
  return row?.n === 120;
}
