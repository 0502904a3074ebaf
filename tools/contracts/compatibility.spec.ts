import { z } from 'zod';
import { breaksBetween } from './compatibility.ts';
import type { JsonSchema } from './json-schema.ts';

const code = z
  .string()
  .regex(/^[a-z_]+$/)
  .meta({ id: 'SharedCode' });
const otherCode = z
  .string()
  .regex(/^[a-z]+$/)
  .meta({ id: 'SharedCode' });
const fields = {
  id: z.uuid(),
  amount: z.int().min(1).max(100),
  reason: code,
  note: z.string().max(10).optional(),
  word: z.enum(['open', 'closed']),
  payee: z.object({ kind: z.literal('key'), mask: z.string() }),
  buckets: z.array(z.object({ name: code })),
  labels: z.record(z.string().max(5), z.string()),
};
type Fields = Record<string, z.ZodType>;

const published = (shape: Fields): JsonSchema => z.toJSONSchema(z.object(shape), { io: 'input' });
const released = published(fields);
const breaks = (changed: Fields) => breaksBetween(released, published({ ...fields, ...changed }));
const without = (name: keyof typeof fields) => {
  const { [name]: _, ...rest } = fields;
  return breaksBetween(released, published(rest));
};

describe('what may change within a major version', () => {
  it('nothing at all', () => {
    expect(breaks({})).toEqual([]);
  });

  it.each<readonly [string, Fields]>([
    ['an optional field comes', { added: z.string().optional() }],
    [
      'an optional field of a nested object comes',
      { payee: fields.payee.extend({ added: z.int().optional() }) },
    ],
    ['a description changes', { amount: fields.amount.describe('In centavos.') }],
    [
      'a shared part is renamed',
      {
        reason: z
          .string()
          .regex(/^[a-z_]+$/)
          .meta({ id: 'OtherName' }),
      },
    ],
    ['an enumeration is written in another order', { word: z.enum(['closed', 'open']) }],
    ['a field named like an annotation comes', { title: z.string().optional() }],
  ])('%s', (_, changed) => {
    expect(breaks(changed)).toEqual([]);
  });

  it('an optional field goes', () => {
    expect(without('note')).toEqual([]);
  });
});

describe('what breaks somebody', () => {
  it.each<readonly [string, Fields, string, string]>([
    ['a required field comes', { added: z.string() }, 'added', 'required field added'],
    [
      'an optional field becomes required',
      { note: z.string().max(10) },
      'note',
      'field became required',
    ],
    [
      'a required field becomes optional',
      { amount: fields.amount.optional() },
      'amount',
      'field became optional',
    ],
    ['a type changes', { amount: z.string() }, 'amount', 'type changed'],
    [
      'an integer becomes a number',
      { amount: z.number().min(1).max(100) },
      'amount',
      'type changed',
    ],
    ['null becomes possible', { amount: fields.amount.nullable() }, 'amount', 'anyOf changed'],
    ['an enumeration loses a word', { word: z.enum(['open']) }, 'word', 'enum value removed'],
    [
      'an enumeration gains a word',
      { word: z.enum(['open', 'closed', 'torn']) },
      'word',
      'enum value added',
    ],
    [
      'a constant changes',
      { payee: z.object({ kind: z.literal('account'), mask: z.string() }) },
      'payee.kind',
      'const changed',
    ],
    ['a lower bound rises', { amount: z.int().min(2).max(100) }, 'amount', 'minimum changed'],
    ['an upper bound falls', { amount: z.int().min(1).max(99) }, 'amount', 'maximum changed'],
    ['an upper bound rises', { amount: z.int().min(1).max(101) }, 'amount', 'maximum changed'],
    ['a text may be longer', { note: z.string().max(11).optional() }, 'note', 'maxLength changed'],
    ['a format goes', { id: z.string() }, 'id', 'format changed'],
    [
      'a pattern comes',
      { payee: z.object({ kind: z.literal('key'), mask: z.string().regex(/x/) }) },
      'payee.mask',
      'pattern changed',
    ],
    [
      'a shared part changes',
      { reason: otherCode, buckets: z.array(z.object({ name: otherCode })) },
      'buckets[].name',
      'pattern changed',
    ],
    [
      'an element gains a required field',
      { buckets: z.array(z.object({ name: code, size: z.int() })) },
      'buckets[].size',
      'required field added',
    ],
    ['a list is bounded', { buckets: fields.buckets.max(3) }, 'buckets', 'maxItems changed'],
    [
      'a free value changes its type',
      { labels: z.record(z.string().max(5), z.int()) },
      'labels{}',
      'type changed',
    ],
    [
      'a free name may be longer',
      { labels: z.record(z.string().max(6), z.string()) },
      'labels{name}',
      'maxLength changed',
    ],
    [
      'content is closed',
      { payee: z.strictObject(fields.payee.shape) },
      'payee',
      'additionalProperties changed',
    ],
    [
      'two shapes where there was one',
      { payee: z.union([fields.payee, z.object({ kind: z.literal('account') })]) },
      'payee',
      'anyOf changed',
    ],
  ])('%s', (_, changed, field, rule) => {
    expect(breaks(changed)).toContainEqual({ field, rule });
  });

  it('a required field goes', () => {
    expect(without('amount')).toEqual([{ field: 'amount', rule: 'required field removed' }]);
  });

  it('a shared part that changes behind an alternative', () => {
    const alternative = (pattern: RegExp) =>
      published({ either: z.union([z.string().regex(pattern).meta({ id: 'Either' }), z.int()]) });

    expect(breaksBetween(alternative(/^a$/), alternative(/^b$/))).toEqual([
      { field: 'either', rule: 'anyOf changed' },
    ]);
  });

  it('a keyword that nobody has judged yet', () => {
    expect(breaksBetween(released, { ...released, minProperties: 1 })).toEqual([
      { field: '', rule: 'minProperties changed' },
    ]);
  });
});
