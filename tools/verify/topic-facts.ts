// Every record of every topic, from offset 0.
import { allTopics, decodeMessage, headerText, serviceNames, type TopicDefinition } from '@compasso/contracts';
import { groupOf, KafkaTransport, type ReceivedRecord } from '@compasso/messaging';
import { createLogger } from '@compasso/observability';
import type { Facts, RecordFact } from '@compasso/testing';
import type { Sources } from './sources.ts';

/** A record with its raw form, for those who fold it again. */
export interface TopicRecord {
  readonly fact: RecordFact;
  readonly raw: ReceivedRecord;
  readonly topic: TopicDefinition;
}

export const openTransport = ({ kafka }: Pick<Sources, 'kafka'>): KafkaTransport => {
  const logger = createLogger({ service: 'verify', replica: '1', level: 'silent' });
  return new KafkaTransport({ ...kafka, ssl: kafka.ssl, sasl: kafka.sasl, clientId: 'verify', logger }, () => undefined);
};

export async function topicRecords(sources: Sources): Promise<readonly TopicRecord[]> {
  const transport = openTransport(sources);
  const records: TopicRecord[] = [];
  try {
    for (const topic of allTopics(sources)) {
      await transport.readAll(topic.name, async (batch) => {
        for (const raw of batch.records) records.push({ fact: factOf(raw, batch.partition, topic), raw, topic });
      });
    }
  } finally {
    await transport.close();
  }
  return records;
}

function factOf(raw: ReceivedRecord, partition: number, topic: TopicDefinition): RecordFact {
  const decoded = decodeMessage(raw, topic);
  const header = (name: string): string | undefined => headerText(raw.headers, name);
  const sequence = header('ce_sequence');
  return {
    topic: topic.name,
    partition,
    offset: raw.offset,
    key: raw.key === null ? undefined : Buffer.from(raw.key).toString(),
    id: decoded.envelope?.id,
    source: decoded.envelope?.source,
    type: header('ce_type'),
    subject: header('ce_subject'),
    sequence: decoded.envelope !== undefined && sequence !== undefined ? Number(sequence) : undefined,
    causationId: decoded.envelope?.causationId,
    data: decoded.kind === 'event' ? (decoded.data as Record<string, unknown>) : undefined,
  };
}

/** Which group of which service reads which topic: the same rule by which the services subscribe. */
export function consumerGroups({ requestTeams }: Pick<Sources, 'requestTeams'>): Facts['groups'] {
  const topics = allTopics({ requestTeams });
  const requests = topics.filter(({ family }) => family === 'transfer-requests');
  const named = (family: string): readonly TopicDefinition[] => topics.filter((topic) => topic.family === family);
  const reads = {
    ledger: [...requests, ...named('payout-events')],
    'payout-gateway': named('ledger-events'),
    'transfer-tracker': [...requests, ...named('ledger-events'), ...named('payout-events'), ...named('dead-letters')],
  };
  return serviceNames.flatMap((service) =>
    reads[service].map(({ name }) => ({ service, group: groupOf(service, name), topic: name })),
  );
}
