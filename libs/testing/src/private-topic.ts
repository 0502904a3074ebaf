// Topics of its own per test, on the Kafka of the integration tier.
import { randomBytes } from 'node:crypto';
import type { TopicDefinition } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import { Kafka, logLevel } from 'kafkajs';
import { eventually } from './eventually.ts';

export const testBrokers = (): readonly string[] => {
  const brokers = process.env['COMPASSO_TEST_KAFKA_BROKERS'];
  if (brokers === undefined) {
    throw new CodedError('no_test_kafka', 'COMPASSO_TEST_KAFKA_BROKERS is not set: run the int tier.');
  }
  return brokers.split(',');
};

const admin = () =>
  new Kafka({ clientId: 'tests', brokers: [...testBrokers()], logLevel: logLevel.NOTHING }).admin();

/** A prefix that no other test has; services and transports take it as TOPIC_PREFIX. */
export const privatePrefix = (): string => `t${randomBytes(6).toString('hex')}.`;

type Wanted = Pick<TopicDefinition, 'name' | 'partitions' | 'config'>;

/** Creates the topics and waits until the broker leads every partition: right after creation it denies knowing them. */
export async function createTopics(prefix: string, topics: readonly Wanted[]): Promise<void> {
  const client = admin();
  await client.connect();
  try {
    await client.createTopics({
      waitForLeaders: false,
      topics: topics.map(({ name, partitions, config }) => ({
        topic: prefix + name,
        numPartitions: partitions,
        replicationFactor: 1,
        configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
      })),
    });
    for (const { name } of topics) {
      // Listing offsets asks the leader itself; metadata promise a leader some time before it knows.
      await eventually(async () => (await client.fetchTopicOffsets(prefix + name)).length > 0, {
        because: 'every partition of a new topic has a leader',
      });
    }
  } finally {
    await client.disconnect();
  }
}

export async function deleteTopics(names: readonly string[]): Promise<void> {
  const client = admin();
  await client.connect();
  try {
    await client.deleteTopics({ topics: [...names] });
  } finally {
    await client.disconnect();
  }
}
