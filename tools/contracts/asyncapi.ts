// The AsyncAPI document: every channel with its key, partitions and settings from topics.ts, every message from its
// contract, with the golden example that the reader is tested on.
import { allTopics, type Contract, contracts, type TopicDefinition } from '@compasso/contracts';
import { invariant } from '@compasso/kernel';
import { type GoldenExample, goldenExamples } from './golden-examples.ts';
import { asyncApiPayload, type JsonSchema } from './json-schema.ts';

type Part = Readonly<Record<string, unknown>>;

const kafkaBinding = '0.5.0';
const keyMeanings: Readonly<Record<TopicDefinition['family'], string>> = {
  'transfer-requests': "The payer's account id.",
  'ledger-events': "The payer's account id; the name of the service where there is no account.",
  'payout-events': "The payer's account id.",
  clearances: "The payer's account id.",
  'review-decisions': "The payer's account id.",
  operations: 'The target of the operation.',
  'transfer-status': 'The transfer id.',
  'dead-letters':
    'The account id of the message set aside; the name of the service where there is none.',
};

const messageKeyOf = ({ name, version }: Contract): string => `${name}.v${version}`;
const byKey = <Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> =>
  Object.fromEntries(entries);

export function asyncApiDocument(version: string): Part {
  const topics = allTopics({ requestTeams: ['{team}'] });
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Compasso',
      version,
      description:
        'Outgoing Pix transfers as a choreography. The application described here is Compasso as a whole: what it ' +
        'receives, other teams send. CloudEvents 1.0 in Kafka binary mode: the value is the data alone.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: byKey(topics.map((topic) => [channelKeyOf(topic), channel(topic)])),
    operations: byKey(topics.map((topic) => [operationKeyOf(topic), operation(topic)])),
    components: components(),
  };
}

/** `pix.ledger-events.v1` becomes `ledger-events.v1`, and the placeholder of a team loses its braces. */
const channelKeyOf = ({ name }: TopicDefinition): string =>
  name.replace(/^pix\./, '').replace(/[{}]/g, '');

const isReceived = ({ family }: TopicDefinition): boolean => family === 'transfer-requests';

const operationKeyOf = (topic: TopicDefinition): string =>
  `${isReceived(topic) ? 'receive' : 'send'}.${channelKeyOf(topic)}`;

const contractsOf = ({ family }: TopicDefinition): readonly Contract[] =>
  contracts.filter((contract) => contract.family === family);

function channel(topic: TopicDefinition): Part {
  const parametric = topic.name.includes('{team}');
  return {
    address: topic.name,
    description: `Written by \`${topic.source}\` alone. Key: ${keyMeanings[topic.family]}`,
    ...(parametric
      ? { parameters: { team: { description: 'Lower-case letters, digits and hyphens.' } } }
      : {}),
    messages: byKey(
      contractsOf(topic).map((contract) => [
        messageKeyOf(contract),
        { $ref: `#/components/messages/${messageKeyOf(contract)}` },
      ]),
    ),
    bindings: {
      kafka: {
        ...(parametric ? {} : { topic: topic.name }),
        partitions: topic.partitions,
        topicConfiguration: topicConfiguration(topic),
        bindingVersion: kafkaBinding,
      },
    },
  };
}

function topicConfiguration({ config }: TopicDefinition): Part {
  const typed = Object.entries(config).map(([name, text]) => {
    if (name === 'cleanup.policy') return [name, text.split(',')] as const;
    return [name, /^\d+$/.test(text) ? Number(text) : text] as const;
  });
  return Object.fromEntries(typed);
}

function operation(topic: TopicDefinition): Part {
  const channelKey = channelKeyOf(topic);
  return {
    action: isReceived(topic) ? 'receive' : 'send',
    channel: { $ref: `#/channels/${channelKey}` },
    messages: contractsOf(topic).map((contract) => ({
      $ref: `#/channels/${channelKey}/messages/${messageKeyOf(contract)}`,
    })),
  };
}

function components(): Part {
  const examples = goldenExamples();
  const schemas: Record<string, JsonSchema> = { Envelope: envelopeSchema };
  const messages: Record<string, Part> = {};
  for (const contract of contracts) {
    const { schema, shared } = asyncApiPayload(contract);
    for (const [name, part] of Object.entries(shared)) {
      const known = schemas[name] ?? part;
      invariant(JSON.stringify(known) === JSON.stringify(part), 'one name, one schema', { name });
      schemas[name] = part;
    }
    schemas[messageKeyOf(contract)] = schema;
    messages[messageKeyOf(contract)] = message(contract, examples.get(messageKeyOf(contract)));
  }
  return { messages, schemas };
}

function message(contract: Contract, example: GoldenExample | undefined): Part {
  invariant(example, 'every contract has a golden example', { contract: messageKeyOf(contract) });
  return {
    name: contract.type,
    title: contract.name,
    summary: contract.meaning,
    contentType: 'application/json',
    correlationId: {
      description: 'The transfer, or what else the event is about.',
      location: '$message.header#/ce_subject',
    },
    headers: {
      type: 'object',
      allOf: [{ $ref: '#/components/schemas/Envelope' }],
      required: contract.publisher === 'requester' ? ['ce_type'] : ['ce_type', 'ce_sequence'],
      properties: { ce_type: { type: 'string', const: contract.type } },
    },
    payload: { $ref: `#/components/schemas/${messageKeyOf(contract)}` },
    bindings: {
      kafka: {
        key: { type: 'string', description: keyMeanings[contract.family] },
        bindingVersion: kafkaBinding,
      },
    },
    examples: [{ name: 'golden', headers: example.headers, payload: example.value }],
  };
}

const envelopeSchema: JsonSchema = {
  type: 'object',
  description: 'CloudEvents 1.0 attributes as Kafka headers, UTF-8 text.',
  required: ['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_subject', 'ce_time'],
  properties: {
    ce_specversion: { type: 'string', const: '1.0' },
    ce_id: {
      type: 'string',
      format: 'uuid',
      description: 'UUID in lower case, v7 advised. Unique per source.',
    },
    ce_source: {
      type: 'string',
      maxLength: 256,
      description: "The topic's one writer; anything else is set aside.",
    },
    ce_type: { type: 'string', maxLength: 256 },
    ce_subject: {
      type: 'string',
      format: 'uuid',
      description: 'The transfer id, or what else the event is about.',
    },
    ce_time: { type: 'string', format: 'date-time', description: 'RFC 3339. Information only.' },
    ce_causationid: {
      type: 'string',
      format: 'uuid',
      description: 'The `ce_id` of the event that caused this one.',
    },
    ce_sequence: {
      type: 'string',
      pattern: '^[1-9]\\d{0,14}$',
      description: '1, 2, 3… per source and subject. Requesters need none.',
    },
    traceparent: { type: 'string', description: 'W3C trace context. An odd one is ignored.' },
    'content-type': { type: 'string', const: 'application/json' },
  },
};
