import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  type DeadReason,
  decodeMessage,
  nestingMax,
  type RawMessage,
  valueBytesMax,
} from './decode.ts';
import { encodeHeaders, type Headers } from './envelope.ts';
import {
  ledgerEvents,
  payoutEvents,
  sourceOfService,
  type TopicDefinition,
  transferRequestsOf,
  transferStatus,
} from './topics.ts';

const accountId = '019b3f2c-7c1e-7000-8000-00000000a001';
const otherAccountId = '019b3f2c-7c1e-7000-8000-00000000a002';
const transferId = '019b3f2d-1a10-7a44-9c55-3f0e5d1c2b01';
const requests = transferRequestsOf('billing');

interface Parts {
  readonly topic: TopicDefinition;
  readonly headers: Record<string, string>;
  readonly key: string;
  readonly value: Record<string, unknown>;
}

const goldenOf = (name: string): Omit<Parts, 'topic'> =>
  JSON.parse(readFileSync(new URL(`../examples/${name}.v1.json`, import.meta.url), 'utf8'));

const settled: Parts = { ...goldenOf('ledger.transfer-settled'), topic: ledgerEvents };
const requested: Parts = { ...goldenOf('transfer.requested'), topic: requests };
const status: Parts = { ...goldenOf('transfer.status-changed'), topic: transferStatus };

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Wire {
  readonly key?: Uint8Array | null;
  readonly value?: Uint8Array | null;
  readonly headers?: Headers;
}

const messageOf = (parts: Parts, wire: Wire = {}): RawMessage => ({
  key: utf8(parts.key),
  value: utf8(JSON.stringify(parts.value)),
  headers: parts.headers,
  ...wire,
});

const decode = (parts: Parts, wire: Wire = {}) =>
  decodeMessage(messageOf(parts, wire), parts.topic);
const withHeader = (parts: Parts, header: string, value: string): Wire => ({
  headers: { ...parts.headers, [header]: value },
});
const withText = (text: string): Wire => ({ value: utf8(text) });
const nested = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
/** Good data, padded with a field that nobody knows to exactly so many bytes. */
const ofBytes = (parts: Parts, size: number): Wire => {
  const frame = JSON.stringify({ ...parts.value, padding: '' });
  return withText(
    JSON.stringify({ ...parts.value, padding: 'x'.repeat(size - utf8(frame).length) }),
  );
};

describe('reading a message', () => {
  it.each([settled, requested, status])(
    'gives the event, its contract and its data ($topic.name)',
    (parts) => {
      expect(decode(parts)).toMatchObject({
        kind: 'event',
        key: parts.key,
        envelope: { id: parts.headers['ce_id'], type: parts.headers['ce_type'] },
        contract: { type: parts.headers['ce_type'] },
        data: parts.value,
      });
    },
  );

  it('passes over fields of a later release', () => {
    const decoded = decode({ ...settled, value: { ...settled.value, addedLater: { deep: true } } });

    expect(decoded).toMatchObject({ kind: 'event', data: settled.value });
    expect(decoded).not.toHaveProperty('data.addedLater');
  });

  it('reads what a repeated field says last, as JSON.parse does', () => {
    const text = JSON.stringify(settled.value).replace('{', '{"amountCents":1,');

    expect(decode(settled, withText(text))).toMatchObject({
      kind: 'event',
      data: { amountCents: 12345 },
    });
  });

  it('reads headers as strings, buffers or lists alike', () => {
    const lists = Object.entries(settled.headers).map(([name, text]) => [
      name,
      [Buffer.from(text), Buffer.from('x')],
    ]);

    expect(decode(settled, { headers: Object.fromEntries(lists) })).toEqual(decode(settled));
  });

  it('stores and passes over an event that it does not know, whatever its data', () => {
    const unknown = withHeader(settled, 'ce_type', 'compasso.ledger.moon-risen.v1');

    expect(decode(settled, unknown)).toMatchObject({ kind: 'unknown-type', key: accountId });
    expect(decode(settled, withHeader(settled, 'ce_type', 'com.example.other'))).toMatchObject({
      kind: 'unknown-type',
    });
  });

  it('ignores an odd traceparent', () => {
    expect(decode(settled, withHeader(settled, 'traceparent', 'odd'))).toMatchObject({
      kind: 'event',
      envelope: { traceparent: undefined },
    });
  });
});

describe('a dead message', () => {
  const cases: readonly (readonly [DeadReason, string, Parts, Wire])[] = [
    ['key_missing', 'null key', settled, { key: null }],
    ['key_missing', 'empty key', settled, { key: new Uint8Array() }],
    ['key_malformed', 'key of invalid UTF-8', settled, { key: Uint8Array.of(0xc3, 0x28) }],
    ['key_malformed', 'key with U+0000', settled, { key: utf8(`${accountId}\0`) }],
    ['key_malformed', 'key of 257 letters', settled, { key: utf8('x'.repeat(257)) }],
    ['value_missing', 'null value', settled, { value: null }],
    ['value_missing', 'empty value', settled, { value: new Uint8Array() }],
    ['value_too_large', '64 KiB and a byte', settled, ofBytes(settled, valueBytesMax + 1)],
    ['value_too_deep', 'one level too many', settled, withText(nested(nestingMax + 1))],
    ['value_too_deep', 'ten thousand arrays', settled, withText('['.repeat(10_000))],
    [
      'value_too_deep',
      'depth behind an escaped quote',
      settled,
      withText(`{"\\"":${nested(nestingMax)}}`),
    ],
    ['value_undecodable', 'no JSON', settled, withText('oops')],
    ['value_undecodable', 'half a JSON', settled, withText('{"accountId":')],
    ['value_undecodable', 'two JSON values', settled, withText('{}{}')],
    ['value_undecodable', 'NaN', settled, withText('{"amountCents":NaN}')],
    [
      'value_undecodable',
      'invalid UTF-8',
      settled,
      { value: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d) },
    ],
    ['value_not_an_object', 'bare array', settled, withText('[{}]')],
    ['value_not_an_object', 'null', settled, withText('null')],
    ['value_not_an_object', 'number', settled, withText('1e309')],
    ['value_not_an_object', 'string', settled, withText('"{}"')],
    ['envelope_header_missing', 'no headers', settled, { headers: {} }],
    ['envelope_header_malformed', 'an id that is none', settled, withHeader(settled, 'ce_id', '1')],
    [
      'subject_malformed',
      'a subject that names no transfer',
      settled,
      withHeader(settled, 'ce_subject', 'x'),
    ],
    [
      'source_foreign',
      "another service's source",
      settled,
      withHeader(settled, 'ce_source', payoutEvents.source),
    ],
    [
      'source_foreign',
      "another team's source",
      requested,
      withHeader(requested, 'ce_source', 'urn:compasso:team:x'),
    ],
    [
      'type_foreign',
      "another service's event",
      settled,
      withHeader(settled, 'ce_type', 'compasso.payout.confirmed.v1'),
    ],
    [
      'version_unsupported',
      'a later version',
      settled,
      withHeader(settled, 'ce_type', 'compasso.ledger.transfer-settled.v2'),
    ],
  ];

  it('has a case here for every reason that the reader gives', () => {
    const reasons: Record<Exclude<DeadReason, 'data_invalid' | 'sequence_missing'>, true> = {
      key_missing: true,
      key_malformed: true,
      value_missing: true,
      value_too_large: true,
      value_too_deep: true,
      value_undecodable: true,
      value_not_an_object: true,
      envelope_header_missing: true,
      envelope_header_malformed: true,
      subject_malformed: true,
      source_foreign: true,
      type_foreign: true,
      version_unsupported: true,
    };

    expect(new Set(cases.map(([reason]) => reason))).toEqual(new Set(Object.keys(reasons)));
  });

  it.each(cases)('%s: %s', (reason, _, parts, wire) => {
    expect(decode(parts, wire)).toMatchObject({ kind: 'dead', reason });
  });

  it('sequence_missing: every event but a request counts', () => {
    const { ce_sequence: _, ...headers } = settled.headers;

    expect(decode(settled, { headers })).toMatchObject({
      kind: 'dead',
      reason: 'sequence_missing',
    });
    expect(requested.headers).not.toHaveProperty('ce_sequence');
  });

  it('names the transfer that it holds back, as far as it could be read', () => {
    expect(decode(settled, { value: null })).toMatchObject({
      key: accountId,
      subject: transferId,
      envelope: { subject: transferId },
    });
    expect(decode(settled, withHeader(settled, 'ce_time', 'x'))).toMatchObject({
      subject: transferId,
      envelope: undefined,
    });
    expect(decode(settled, { headers: {} })).toMatchObject({
      key: accountId,
      subject: undefined,
      envelope: undefined,
    });
    expect(decode(settled, { headers: {}, key: Uint8Array.of(0xff) })).toMatchObject({
      key: undefined,
    });
  });
});

describe('the limits of a value', () => {
  it('takes 64 KiB to the byte', () => {
    expect(decode(settled, ofBytes(settled, valueBytesMax))).toMatchObject({ kind: 'event' });
  });

  it('takes sixteen levels, and brackets inside strings are no level', () => {
    const brackets = '[{'.repeat(100);

    expect(decode(settled, withText(nested(nestingMax)))).toMatchObject({ kind: 'invalid-data' });
    expect(decode({ ...settled, value: { ...settled.value, brackets } })).toMatchObject({
      kind: 'event',
    });
  });
});

describe('readable envelope, bad data', () => {
  const amounts = [0, -1, 0.1, '1000', null, true, [], {}, 1_000_000_000_000, 2 ** 53];

  it.each(amounts)('refuses the amount %p and says which field', (amountCents) => {
    expect(decode({ ...requested, value: { ...requested.value, amountCents } })).toMatchObject({
      kind: 'invalid-data',
      accountId,
      invalidFields: ['amountCents'],
    });
  });

  it.each(['1e309', '-0.0', '12345.5'])('refuses the amount %s as written', (amount) => {
    const text = JSON.stringify(requested.value).replace('12345', amount);

    expect(decode(requested, withText(text))).toMatchObject({
      kind: 'invalid-data',
      invalidFields: ['amountCents'],
    });
  });

  it('names nested fields, each once', () => {
    const payee = {
      ...(requested.value['payee'] as object),
      keyMasked: '\0'.repeat(78),
      keyType: 'iban',
    };
    const decoded = decode({ ...requested, value: { ...requested.value, payee } });

    expect(decoded).toMatchObject({ invalidFields: ['payee.keyType', 'payee.keyMasked'] });
  });

  it('repeats nothing that the sender made up, however many fields are wrong', () => {
    const hostile = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`secret ${at} ${'x'.repeat(40)}`, at]),
    );
    const decoded = decode({ ...requested, value: { ...requested.value, metadata: hostile } });

    expect(decoded).toMatchObject({ kind: 'invalid-data', invalidFields: ['metadata'] });
  });

  it("refuses another account's key, which would be another account's order", () => {
    expect(decode({ ...requested, key: otherAccountId })).toMatchObject({
      kind: 'invalid-data',
      invalidFields: ['key'],
    });
    expect(decode({ ...status, key: accountId })).toMatchObject({
      kind: 'invalid-data',
      invalidFields: ['key'],
    });
  });

  it('does not let a byte order mark or capitals move an account to another partition', () => {
    expect(decode(requested, { key: utf8(`\ufeff${accountId}`) })).toMatchObject({
      invalidFields: ['key'],
    });
    const capitals = { ...requested.value, accountId: accountId.toUpperCase() };
    expect(decode({ ...requested, value: capitals })).toMatchObject({
      invalidFields: ['accountId'],
      accountId: undefined,
    });
  });
});

describe('hostile content', () => {
  it.each([
    ['__proto__', '{"__proto__":{"accountId":"x","isAdmin":true}}'],
    ['constructor', '{"constructor":{"prototype":{"isAdmin":true}}}'],
    ['toString', '{"toString":1,"hasOwnProperty":2,"accountId":{"__proto__":null}}'],
  ])('is not impressed by %s', (_, text) => {
    expect(decode(requested, withText(text))).toMatchObject({
      kind: 'invalid-data',
      accountId: undefined,
    });
    expect({}).not.toHaveProperty('isAdmin');
  });

  it('lets no prototype into metadata', () => {
    const text = JSON.stringify(requested.value).replace(
      '"metadata":{',
      '"metadata":{"__proto__":"x",',
    );
    const decoded = decode(requested, withText(text));

    expect(
      decoded.kind === 'event' &&
        Object.getPrototypeOf((decoded.data as Parts['value'])['metadata']),
    ).toBe(Object.prototype);
  });

  it('never throws, and never calls bytes an event whose envelope it did not check', () => {
    const headerName = fc.constantFrom(...Object.keys(settled.headers), 'x');
    const headerValue = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 40 }),
      fc.array(fc.string(), { maxLength: 2 }),
      fc.constant(undefined),
    );
    const noise = fc.oneof(
      fc.constant(null),
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map(utf8),
    );
    fc.assert(
      fc.property(noise, noise, fc.dictionary(headerName, headerValue), (key, value, odd) => {
        const bare = decodeMessage({ key, value, headers: odd }, ledgerEvents);
        const mixed = decodeMessage(
          { key, value, headers: { ...settled.headers, ...odd } },
          ledgerEvents,
        );
        expect(bare.kind).toBe('dead');
        expect(mixed.kind).not.toBe('event');
      }),
      { numRuns: 1000 },
    );
  });

  it('survives any change of one byte of a good message', () => {
    const good = utf8(JSON.stringify(settled.value));
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, byte) => {
        const changed = Uint8Array.from(good);
        changed[at] = byte;
        expect(['event', 'invalid-data', 'dead']).toContain(
          decode(settled, { value: changed }).kind,
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe('round trip', () => {
  it('gives back what was written, for any data of a contract', () => {
    const data = fc.record({
      accountId: fc.uuid(),
      amountCents: fc.integer({ min: 1, max: 999_999_999_999 }),
      clientReference: fc.option(fc.stringMatching(/^[\x20-\x7e]{1,64}$/), { nil: undefined }),
      after: fc.constantFrom('refused', 'reserved', 'authorized', 'settled', 'released'),
      feeCents: fc.nat(),
      endToEndId: fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
        .filter((text) => text.length <= 64),
    });
    fc.assert(
      fc.property(
        data,
        fc.uuid(),
        fc.integer({ min: 1, max: 1_000_000 }),
        (sent, subject, sequence) => {
          const envelope = {
            id: subject,
            source: sourceOfService('ledger'),
            type: 'compasso.ledger.transfer-settled.v1',
            subject,
            time: '2026-11-30T12:00:00.000Z',
            sequence,
          };
          const value = JSON.parse(JSON.stringify(sent)) as Parts['value'];
          const parts = {
            topic: ledgerEvents,
            key: sent.accountId,
            headers: encodeHeaders(envelope),
            value,
          };
          expect(decode(parts)).toMatchObject({ kind: 'event', envelope, data: value });
        },
      ),
    );
  });
});
