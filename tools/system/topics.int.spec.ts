import { connectKafka } from './kafka-connection.ts';
import { createTopics } from './topics.ts';
import { transferRequestsOf } from '@compasso/contracts';
import { deleteTopics, privatePrefix } from '@compasso/testing';

const environment = () => ({ KAFKA_BROKERS: process.env['COMPASSO_TEST_KAFKA_BROKERS'] });

describe('creating topics', () => {
  it('makes what is missing as the list has it, and changes nothing the second time', async () => {
    const prefix = privatePrefix();
    const topics = ['acme', 'loja'].map(transferRequestsOf);
    await createTopics(environment(), topics.slice(0, 1), prefix);
    await createTopics(environment(), topics, prefix);
    const admin = connectKafka(environment(), 'spec').admin();
    await admin.connect();
    const found = await admin.fetchTopicMetadata({
      topics: topics.map(({ name }) => prefix + name),
    });
    await admin.disconnect();
    expect(found.topics.map(({ partitions }) => partitions.length)).toEqual([12, 12]);
    await deleteTopics(topics.map(({ name }) => prefix + name));
  });

  it('refuses a topic that has another number of partitions: keys would move', async () => {
    const prefix = privatePrefix();
    const topic = transferRequestsOf('acme');
    await createTopics(environment(), [{ ...topic, partitions: 3 }], prefix);
    await expect(createTopics(environment(), [topic], prefix)).rejects.toMatchObject({
      code: 'topic_partitions_differ',
    });
    await deleteTopics([prefix + topic.name]);
  });
});
