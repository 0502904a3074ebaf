// What other teams validate with and what our reader does must be one thing: where they differ, a team that did
// everything right is refused.
import { contracts } from '@compasso/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { goldenExamples } from './golden-examples.ts';
import { publishedSchema } from './json-schema.ts';

type Data = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({ strict: true, allErrors: true });
formats.default(ajv);
const examples = goldenExamples();

const published = contracts.map((contract) => {
  const name = `${contract.name}.v${contract.version}`;
  const schema = publishedSchema(contract);
  return {
    name,
    contract,
    schema,
    isValid: ajv.compile(schema),
    example: examples.get(name)!.value,
  };
});

const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 53,
  '',
  'x',
  '\0',
  'x'.repeat(300),
  'x'.repeat(5000),
  '1000',
  '2026-02-30T00:00:00Z',
  '2026-11-30T12:00:00Z',
  '019B3F2D-1A10-7A44-9C55-3F0E5D1C2B01',
  '00000000-0000-0000-0000-000000000000',
  [],
  [null],
  {},
];

/** The example with one field gone, or replaced by a hostile value, at every depth. */
function* mutationsOf(
  data: Data,
  inside: (changed: Data) => Data = (changed) => changed,
): Generator<Data> {
  for (const [name, value] of Object.entries(data)) {
    const { [name]: _, ...rest } = data;
    yield inside(rest);
    for (const hostile of hostileValues) yield inside({ ...data, [name]: hostile });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      yield* mutationsOf(value as Data, (changed) => inside({ ...data, [name]: changed }));
    }
  }
}

/** Said in words in the description, since JSON Schema cannot: a metadata value may not hold U+0000. */
const isBeyondJsonSchema = (data: Data): boolean =>
  JSON.stringify(data['metadata'] ?? {}).includes('\\u0000');

describe.each(published)(
  'the published schema of $name',
  ({ schema, isValid, contract, example }) => {
    it('takes the golden example', () => {
      expect({ valid: isValid(example), errors: isValid.errors }).toEqual({
        valid: true,
        errors: null,
      });
    });

    it('leaves content open at every depth', () => {
      const text = JSON.stringify(schema);

      expect(isValid({ ...example, addedLater: { by: 'a later release' } })).toBe(true);
      expect(text).not.toContain('"additionalProperties":false');
    });

    it('holds no pattern whose wording belongs to Zod', () => {
      expect(JSON.stringify(schema)).not.toMatch(/0-9a-fA-F|\[13579\]\[26\]/);
    });

    it('and the reader agree on every hostile change of the example', () => {
      const disagreements = [...mutationsOf(example)]
        .filter((data) => isValid(data) !== contract.schema.safeParse(data).success)
        .filter((data) => !isBeyondJsonSchema(data));

      expect(disagreements).toEqual([]);
    });
  },
);

describe('published schemas', () => {
  it('have one name each', () => {
    const ids = published.map(({ schema }) => schema['$id']);

    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('urn:compasso:schema:transfer.requested:v1');
  });
});
