import type { TopicDefinition } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import type { Admin } from 'kafkajs';
import { until } from '../../infra/until.ts';
import { connectKafka } from './kafka-connection.ts';

const replicationMax = 3;
const leadersWithinMs = 30_000;

/**
 * Creates the topics that are missing. One that exists with another number of partitions is
 * refused, never changed.
 */
export async function createTopics(
  environment: NodeJS.ProcessEnv,
  topics: readonly TopicDefinition[],
  prefix: string,
): Promise<void> {
  const admin = connectKafka(environment, 'compasso-topics').admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const missing = topics.filter(({ name }) => !existing.has(prefix + name));
    await refuseOtherPartitions(
      admin,
      topics.filter((topic) => !missing.includes(topic)),
      prefix,
    );
    if (missing.length > 0) await createMissing(admin, missing, prefix);
    await until(
      () =>
        haveLeaders(
          admin,
          topics.map(({ name }) => prefix + name),
        ),
      {
        what: 'the topics to have leaders',
        withinMs: leadersWithinMs,
      },
    );
  } finally {
    await admin.disconnect();
  }
}

async function createMissing(
  admin: Admin,
  missing: readonly TopicDefinition[],
  prefix: string,
): Promise<void> {
  const replication = Math.min(replicationMax, (await admin.describeCluster()).brokers.length);
  // A record counts as written when all but one of its copies have it: one broker may be away.
  const inSync = { 'min.insync.replicas': String(Math.max(1, replication - 1)) };
  await admin.createTopics({
    // The client's own wait fails when the broker does not know the new topic yet.
    waitForLeaders: false,
    topics: missing.map(({ name, partitions, config }) => ({
      topic: prefix + name,
      numPartitions: partitions,
      replicationFactor: replication,
      configEntries: Object.entries({ ...inSync, ...config }).map(([key, value]) => ({
        name: key,
        value,
      })),
    })),
  });
}

async function haveLeaders(admin: Admin, names: string[]): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: names });
    return topics.every(
      ({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0),
    );
  } catch {
    return false;
  }
}

async function refuseOtherPartitions(
  admin: Admin,
  topics: readonly TopicDefinition[],
  prefix: string,
): Promise<void> {
  if (topics.length === 0) return;
  const found = await admin.fetchTopicMetadata({ topics: topics.map(({ name }) => prefix + name) });
  for (const { name, partitions } of topics) {
    const actual = found.topics.find((topic) => topic.name === prefix + name)?.partitions.length;
    if (actual !== partitions) {
      throw new CodedError(
        'topic_partitions_differ',
        `topic ${prefix + name} has ${actual} partitions, not ${partitions}`,
      );
    }
  }
}
