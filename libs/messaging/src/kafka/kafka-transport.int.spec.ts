import { ledgerEvents } from '@compasso/contracts';
import { createLogger } from '@compasso/observability';
import { createTopics, privatePrefix, testBrokers } from '@compasso/testing';
import type { Transport } from '../ports/transport.ts';
import { describeTransport } from '../ports/transport.features.ts';
import { KafkaTransport } from './kafka-transport.ts';

const opened: Transport[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((transport) => transport.close()));
});

const logger = createLogger({ service: 'tests', replica: '1', level: 'silent' });

describeTransport('Kafka', async () => {
  const topicPrefix = privatePrefix();
  await createTopics(topicPrefix, [{ ...ledgerEvents, name: 'letters' }]);
  return {
    topic: 'letters',
    connect() {
      const transport = new KafkaTransport(
        { brokers: testBrokers(), clientId: 'tests', topicPrefix, logger },
        () => undefined,
      );
      opened.push(transport);
      return transport;
    },
  };
});
