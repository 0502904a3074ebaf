// Released bytes are frozen: what was once written must be read by every later build. The copies under `released/` are
// compared by tools/contracts/released.spec.ts; here are those that a reader of this package looks at first.
import { readdirSync, readFileSync } from 'node:fs';
import { contracts } from './catalog.ts';
import { decodeMessage } from './decode.ts';
import { partitionOf } from './partition.ts';
import { allTopics } from './topics.ts';

interface Example {
  readonly topic: string;
  readonly key: string;
  readonly headers: Record<string, string>;
  readonly value: object;
}

const folder = new URL('../examples/', import.meta.url);
const topics = new Map(
  allTopics({ requestTeams: ['billing'] }).map((topic) => [topic.name, topic]),
);
const examples = readdirSync(folder).map((file): readonly [string, Example] => [
  file,
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
]);

describe('golden examples', () => {
  it('exist for every contract, and for nothing else', () => {
    expect(examples.map(([file]) => file).sort()).toEqual(
      contracts.map(({ name, version }) => `${name}.v${version}.json`).sort(),
    );
  });

  it.each(examples)('%s is read in full', (file, { topic, key, headers, value }) => {
    const bytes = { key: Buffer.from(key), value: Buffer.from(JSON.stringify(value)), headers };
    const decoded = decodeMessage(bytes, topics.get(topic)!);

    expect(decoded).toMatchObject({ kind: 'event', key, contract: { type: headers['ce_type'] } });
    expect(decoded.kind === 'event' && decoded.data).toEqual(value);
    expect(`compasso.${file}`).toBe(`${headers['ce_type']}.json`);
  });

  it.each(examples)('%s shows every field that its contract knows', (_, { headers, value }) => {
    const contract = contracts.find(({ type }) => type === headers['ce_type'])!;
    const shape = (contract.schema as unknown as { shape: object }).shape;

    expect(Object.keys(value).sort()).toEqual(Object.keys(shape).sort());
  });

  it('of one account lie in one partition', () => {
    const ofAccount = examples.filter(([, { topic }]) => topic !== 'pix.transfer-status.v1');

    expect(new Set(ofAccount.map(([, { key }]) => partitionOf(key))).size).toBe(1);
  });
});
