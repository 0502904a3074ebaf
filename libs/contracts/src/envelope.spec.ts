import { CloudEvent, Kafka } from 'cloudevents';
import fc from 'fast-check';
import {
  decodeHeaders,
  encodeHeaders,
  type Envelope,
  headerText,
  type HeaderValue,
  isTraceparent,
} from './envelope.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const envelope: Envelope = {
  id: '019b3f2d-1a23-7b23-8d21-6c5e4f3a2b23',
  source: 'urn:compasso:ledger',
  type: 'compasso.ledger.funds-reserved.v1',
  subject: '019b3f2d-1a10-7a44-9c55-3f0e5d1c2b01',
  time: '2026-11-30T12:00:00.041Z',
  causationId: '019b3f2d-1a22-7b22-8d21-6c5e4f3a2b22',
  sequence: 1,
  traceparent,
};

const bytes = (headers: Record<string, string>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)]));

const uuid = fc.uuid({ version: [1, 2, 3, 4, 5, 6, 7, 8] });
const attributeText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((text) => /^[^\p{Cc}\p{Cs}]{1,256}$/u.test(text) && !text.startsWith('\ufeff'));
const anyEnvelope: fc.Arbitrary<Envelope> = fc.record({
  id: uuid,
  source: attributeText,
  type: attributeText,
  subject: fc.oneof(uuid, attributeText),
  time: fc
    .date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
  causationId: fc.option(uuid, { nil: undefined }),
  sequence: fc.option(fc.integer({ min: 1, max: 999_999_999_999_999 }), { nil: undefined }),
  traceparent: fc.constantFrom(undefined, traceparent),
});

describe('the envelope', () => {
  it('survives the wire, whichever form the client gives headers', () => {
    fc.assert(
      fc.property(anyEnvelope, (sent) => {
        const headers = encodeHeaders(sent);
        expect(decodeHeaders(headers)).toEqual(sent);
        expect(decodeHeaders(bytes(headers))).toEqual(sent);
        expect(
          decodeHeaders(Object.fromEntries(Object.entries(headers).map(([n, t]) => [n, [t, 'x']]))),
        ).toEqual(sent);
      }),
    );
  });

  it('leaves out what is not known', () => {
    const { causationId: _, sequence: __, traceparent: ___, ...requested } = envelope;

    expect(Object.keys(encodeHeaders(requested)).sort()).toEqual([
      'ce_id',
      'ce_source',
      'ce_specversion',
      'ce_subject',
      'ce_time',
      'ce_type',
      'content-type',
    ]);
  });

  it("is read alike by the CloudEvents project's own SDK", () => {
    const value = { accountId: '019b3f2c-7c1e-7000-8000-00000000a001', amountCents: 12345 };
    const text = JSON.stringify(value);
    const record = {
      headers: encodeHeaders(envelope),
      key: value.accountId,
      value: text,
      body: text,
    };
    const event = Kafka.toEvent(record) as CloudEvent<typeof value>;

    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({
      specversion: '1.0',
      id: envelope.id,
      source: envelope.source,
      type: envelope.type,
      subject: envelope.subject,
      time: envelope.time,
      datacontenttype: 'application/json',
      causationid: envelope.causationId,
      sequence: String(envelope.sequence),
    });
    expect(typeof event.data === 'string' ? JSON.parse(event.data) : event.data).toEqual(value);
  });

  it('is read by us when that SDK has written it', () => {
    const { headers } = Kafka.binary(
      new CloudEvent({
        id: envelope.id,
        source: envelope.source,
        type: envelope.type,
        subject: envelope.subject,
        time: envelope.time,
        datacontenttype: 'application/json',
        causationid: envelope.causationId,
        sequence: '1',
        data: {},
      }),
    );

    expect(decodeHeaders(headers as Record<string, string>)).toEqual({
      ...envelope,
      traceparent: undefined,
    });
  });
});

describe('reading headers', () => {
  it.each(['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_subject', 'ce_time'])(
    'misses %s',
    (header) => {
      const { [header]: _, ...headers } = encodeHeaders(envelope);

      expect(decodeHeaders(headers)).toMatchObject({ code: 'envelope_header_missing', header });
    },
  );

  it.each<readonly [string, string, HeaderValue]>([
    ['another specification', 'ce_specversion', '0.3'],
    ['no UUID', 'ce_id', '42'],
    ['a UUID in capitals', 'ce_id', envelope.id.toUpperCase()],
    ['an empty id', 'ce_id', ''],
    ['an empty source', 'ce_source', ''],
    ['a source of 257 letters', 'ce_source', 'x'.repeat(257)],
    ['a type with U+0000', 'ce_type', 'compasso\0'],
    ['a subject with a line break', 'ce_subject', 'a\nb'],
    ['half of a surrogate pair', 'ce_subject', '\ud800'],
    ['words for a time', 'ce_time', 'yesterday'],
    ['seconds for a time', 'ce_time', '1795000000'],
    ['no UUID as cause', 'ce_causationid', 'transfer.requested'],
    ['sequence zero', 'ce_sequence', '0'],
    ['a negative sequence', 'ce_sequence', '-1'],
    ['half a sequence', 'ce_sequence', '1.5'],
    ['an exponent for a sequence', 'ce_sequence', '1e3'],
    ['a sequence beyond exact numbers', 'ce_sequence', '9007199254740993'],
    ['bytes that are no UTF-8', 'ce_id', Buffer.from([0xff, 0xfe])],
  ])('refuses %s', (_, header, value) => {
    const headers = { ...encodeHeaders(envelope), [header]: value };

    expect(decodeHeaders(headers)).toMatchObject({ code: 'envelope_header_malformed', header });
  });

  it('still names the transfer when another header is unreadable, and only a subject that can be kept', () => {
    const headers = { ...encodeHeaders(envelope), ce_id: 'x' };

    expect(decodeHeaders(headers)).toMatchObject({ subject: envelope.subject });
    expect(decodeHeaders({ ...headers, ce_subject: 'a\0b' })).toMatchObject({ subject: undefined });
  });

  it.each<readonly [string, HeaderValue]>([
    ['too short', '00-4bf92f3577b34da6-00f067aa0ba902b7-01'],
    ['all zeros', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['in capitals', traceparent.toUpperCase()],
    ['words', 'hello'],
    ['empty', ''],
    ['bytes that are no UTF-8', Buffer.from([0xff])],
    ['absent', undefined],
    ['repeated, the first one odd', ['x', traceparent]],
  ])('ignores a traceparent that is %s', (_, value) => {
    expect(decodeHeaders({ ...encodeHeaders(envelope), traceparent: value })).toEqual({
      ...envelope,
      traceparent: undefined,
    });
  });

  it('takes the first of a repeated header and knows an empty list', () => {
    expect(headerText({ ce_id: ['first', 'second'] }, 'ce_id')).toBe('first');
    expect(headerText({ ce_id: [Buffer.from('first'), Buffer.from('second')] }, 'ce_id')).toBe(
      'first',
    );
    expect(headerText({ ce_id: [] }, 'ce_id')).toBeUndefined();
    expect(headerText({}, 'ce_id')).toBeUndefined();
  });

  it('knows a traceparent', () => {
    expect(isTraceparent(traceparent)).toBe(true);
    expect(isTraceparent(`${traceparent}\n`)).toBe(false);
    expect(isTraceparent(undefined)).toBe(false);
  });
});
