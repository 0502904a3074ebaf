import { isUuid } from '@compasso/kernel';
import fc from 'fast-check';
import {
  instantField,
  metadataBytesMax,
  metadataField,
  sealedPayeeField,
  uuidField,
} from './fields.ts';

const takes = (
  schema: { safeParse: (value: unknown) => { success: boolean } },
  value: unknown,
): boolean => schema.safeParse(value).success;

describe('a UUID field', () => {
  const nibbles = [...'0123456789abcdefgABCDEF'];
  const everyVersionAndVariant = nibbles.flatMap((version) =>
    nibbles.map((variant) => `019b3f2d-1a10-${version}a44-${variant}c55-3f0e5d1c2b01`),
  );

  it('is what the kernel calls a UUID, and nothing else', () => {
    const agree = (text: string) =>
      expect([text, takes(uuidField, text)]).toEqual([text, isUuid(text)]);
    const capitals = fc.uuid().map((text) => text.toUpperCase());

    for (const text of everyVersionAndVariant) agree(text);
    fc.assert(fc.property(fc.oneof(fc.uuid(), capitals, fc.string()), agree));
  });
});

describe('an instant field', () => {
  it.each(['2026-11-30T12:00:00Z', '2026-11-30T12:00:00.123456789Z', '2026-11-30T09:00:00-03:00'])(
    'takes %s',
    (text) => expect(takes(instantField, text)).toBe(true),
  );

  it.each([
    ['a day that does not exist', '2026-02-30T12:00:00Z'],
    ['a date alone', '2026-11-30'],
    ['no zone', '2026-11-30T12:00:00'],
    ['the year zero, which the database refuses', '0000-01-01T00:00:00Z'],
    ['a year that has five digits in UTC', '9999-12-31T23:59:59-03:00'],
    ['milliseconds since the epoch', 1_795_000_000_000],
  ])('refuses %s', (_, value) => expect(takes(instantField, value)).toBe(false));
});

describe('metadata', () => {
  it('is measured in bytes of UTF-8, not in characters', () => {
    const room = metadataBytesMax - '{"a":"","b":"","c":"","d":""}'.length;
    const filled = (letter: string, times: number) => {
      const part = Math.floor(times / 4);
      return {
        a: letter.repeat(part),
        b: letter.repeat(part),
        c: letter.repeat(part),
        d: letter.repeat(times - 3 * part),
      };
    };
    expect(takes(metadataField, filled('a', room))).toBe(true);
    expect(takes(metadataField, filled('a', room + 1))).toBe(false);
    expect(takes(metadataField, filled('é', room))).toBe(false);
  });

  it.each([
    ['U+0000 in a value', { note: 'a\0b' }],
    ['U+0000 in a name', { 'a\0b': 'note' }],
    ['half of a surrogate pair', { note: '\ud800' }],
    ['a number', { note: 1 }],
    ['an object', { note: {} }],
    ['a name of 41 letters', { ['n'.repeat(41)]: 'x' }],
    ['an empty name', { '': 'x' }],
    ['a value of 257 letters', { note: 'x'.repeat(257) }],
    ['an array', ['x']],
  ])('refuses %s', (_, metadata) => expect(takes(metadataField, metadata)).toBe(false));

  it('takes any script and any emoji', () => {
    expect(takes(metadataField, { nota: 'ação 日本語 😀\n' })).toBe(true);
  });
});

describe('a sealed payee', () => {
  const payee = { kind: 'key', keyType: 'cpf', keyMasked: '***982247**', sealed: 'a.b.c.d.e' };

  it.each([
    ['another kind', { kind: 'account' }],
    ['another key type', { keyType: 'passport' }],
    ['U+0000 in the mask', { keyMasked: '***\0**' }],
    ['U+0000 in the sealed key', { sealed: 'a.b\0' }],
    ['a sealed key beyond 2 KiB', { sealed: 'a'.repeat(2049) }],
  ])('refuses %s', (_, change) => {
    expect(takes(sealedPayeeField, payee)).toBe(true);
    expect(takes(sealedPayeeField, { ...payee, ...change })).toBe(false);
  });
});
