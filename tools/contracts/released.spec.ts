// Released bytes are frozen. Every release is compared with today, not only the last one: a field that went and came
// back as something else would pass from neighbour to neighbour.
import { allTopics, contracts, decodeMessage } from '@compasso/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { breaksBetween } from './compatibility.ts';
import { type GoldenExample, goldenExamples } from './golden-examples.ts';
import { type JsonSchema, publishedSchema } from './json-schema.ts';
import { digestsOf, recordedDigestsOf, releasedVersions, releases } from './released.ts';

const topics = new Map(
  allTopics({ requestTeams: ['billing'] }).map((topic) => [topic.name, topic]),
);
const current: ReadonlyMap<string, JsonSchema> = new Map(
  contracts.map((contract) => [`${contract.name}.v${contract.version}`, publishedSchema(contract)]),
);

function isTaken(schema: JsonSchema, { value }: GoldenExample): boolean {
  const ajv = new Ajv2020({ strict: true });
  formats.default(ajv);
  return ajv.validate(schema, value);
}

const releasedSchemas = releases().flatMap(({ version, schemas }) =>
  [...schemas].map(([name, schema]) => ({ version, name, schema })),
);
const releasedExamples = releases().flatMap(({ version, examples }) =>
  [...examples].map(([name, example]) => ({ version, name, example })),
);

describe.each(releasedVersions().map((version) => ({ version })))(
  'release $version',
  ({ version }) => {
    it('is untouched', () => {
      expect(digestsOf(version)).toBe(recordedDigestsOf(version));
    });
  },
);

describe.each(releasedSchemas)('$name as released in $version', ({ name, schema }) => {
  it('still exists, and nothing but optional fields came or went', () => {
    expect(breaksBetween(schema, current.get(name) ?? {})).toEqual([]);
  });

  it("takes what today's release writes", () => {
    expect(isTaken(schema, goldenExamples().get(name)!)).toBe(true);
  });
});

describe.each(releasedExamples)('the example of $name from $version', ({ name, example }) => {
  it("is read by today's reader, from the same topic", () => {
    const { key, headers, value, topic } = example;
    const bytes = { key: Buffer.from(key), value: Buffer.from(JSON.stringify(value)), headers };

    expect(decodeMessage(bytes, topics.get(topic)!)).toMatchObject({
      kind: 'event',
      key,
      data: value,
    });
  });

  it("is taken by today's schema", () => {
    expect(isTaken(current.get(name) ?? { not: {} }, example)).toBe(true);
  });
});

describe('a released contract that is gone', () => {
  it('is a break, whatever it said', () => {
    for (const { schema } of releasedSchemas) expect(breaksBetween(schema, {})).not.toEqual([]);
  });
});
