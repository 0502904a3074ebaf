import { createRequire } from 'node:module';
import { allTopics, contracts } from '@compasso/contracts';
import type { Parser as AsyncApiParser } from '@asyncapi/parser';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { packageVersion } from './artefacts.ts';
import { asyncApiDocument } from './asyncapi.ts';

// A CommonJS package whose named exports Node does not see.
const { Parser } = createRequire(import.meta.url)('@asyncapi/parser') as {
  Parser: new () => AsyncApiParser;
};

interface Channel {
  readonly address: string;
  readonly messages: Record<string, { readonly $ref: string }>;
  readonly bindings: {
    readonly kafka: { readonly partitions: number; readonly topicConfiguration: object };
  };
}
interface Document {
  readonly channels: Record<string, Channel>;
  readonly operations: Record<string, { readonly action: string }>;
  readonly components: {
    readonly messages: Record<string, { examples: { headers: object; payload: object }[] }>;
    readonly schemas: Record<string, Record<string, unknown>>;
  };
}

const document = (): Document =>
  JSON.parse(JSON.stringify(asyncApiDocument(packageVersion()))) as Document;

/** The parser needs a second on a quiet machine. */
const parserTimeoutMs = 120_000;
const parser = new Parser();

const problemsOf = async (content: Document): Promise<readonly string[]> =>
  (await parser.validate(JSON.stringify(content))).map(
    ({ code, path, message }) => `${String(code)} ${path.join('/')} ${message}`,
  );

describe('the AsyncAPI document', () => {
  it(
    "passes AsyncAPI's own parser without a remark",
    async () => {
      expect(await problemsOf(document())).toEqual([]);
    },
    parserTimeoutMs,
  );

  it('has every topic as a channel, with its partitions and settings', () => {
    const topics = allTopics({ requestTeams: ['{team}'] });
    const channels = Object.values(document().channels);

    expect(channels.map(({ address }) => address)).toEqual(topics.map(({ name }) => name));
    for (const [at, { partitions, config }] of topics.entries()) {
      const { kafka } = channels[at]!.bindings;
      const texts = Object.entries(kafka.topicConfiguration).map(([name, value]) => [
        name,
        String(value),
      ]);
      expect(kafka.partitions).toBe(partitions);
      expect(Object.fromEntries(texts)).toEqual(config);
    }
  });

  it('has every contract as a message of a channel, and receives nothing but requests', () => {
    const { channels, components, operations } = document();
    const placed = Object.values(channels).flatMap(({ messages }) => Object.keys(messages));

    expect([...new Set(placed)].sort()).toEqual(Object.keys(components.messages).sort());
    expect(placed).toContain('ledger.payout-authorized.v1');
    expect(Object.keys(components.messages)).toHaveLength(contracts.length);
    expect(
      Object.keys(operations).filter((name) => operations[name]!.action === 'receive'),
    ).toEqual(['receive.transfer-requests.team.v1']);
  });
});

describe('the messages of the document', () => {
  const { components } = document();
  const ajv = new Ajv({ strict: false, schemas: [{ $id: 'urn:compasso:document', components }] });
  formats.default(ajv);

  it.each(Object.entries(components.messages))(
    '%s shows an example that it accepts',
    (name, message) => {
      const [{ headers, payload } = {}] = message.examples;

      expect(ajv.validate(`urn:compasso:document#/components/schemas/${name}`, payload)).toBe(true);
      expect(
        ajv.validate(`urn:compasso:document#/components/messages/${name}/headers`, headers),
      ).toBe(true);
      expect(
        ajv.validate(`urn:compasso:document#/components/schemas/${name}`, {
          ...payload,
          accountId: 1,
          caseId: 1,
          reason: 1,
        }),
      ).toBe(false);
      expect(
        ajv.validate(`urn:compasso:document#/components/messages/${name}/headers`, {
          ...headers,
          ce_type: 'x',
        }),
      ).toBe(false);
    },
  );
});

describe('a document that is wrong', () => {
  it.each<readonly [string, (content: Document) => void, RegExp]>([
    [
      'a reference to nothing',
      ({ channels }) => {
        channels['ledger-events.v1']!.messages['ledger.lost.v1'] = {
          $ref: '#/components/messages/lost',
        };
      },
      /invalid-ref/,
    ],
    [
      'a payload that is no JSON Schema',
      ({ components }) => {
        components.schemas['Uuid'] = { type: 'uuid' };
      },
      /Uuid\/type/,
    ],
  ])(
    'is found by the parser: %s',
    async (_, break_, problem) => {
      const content = document();
      break_(content);

      expect((await problemsOf(content)).join('\n')).toMatch(problem);
    },
    parserTimeoutMs,
  );
});
