import { createHmac } from 'node:crypto';
import { instantFromWire } from '@compasso/kernel';
import { judgeSignature, type SignedDelivery } from './webhook-signature.ts';

const secret = 'a-secret-of-the-provider';
const now = instantFromWire('2026-11-30T12:00:00Z');
const body = Buffer.from('{"id":"1","payoutId":"2"}');

const signed = (changes: Partial<SignedDelivery> = {}, key = secret, at = now / 1_000): SignedDelivery => {
  const timestamp = String(at);
  const signature = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex');
  return { rawBody: body, timestamp, signature, ...changes };
};

describe('a signature', () => {
  it('is right for these bytes at about this time', () => {
    expect(judgeSignature(signed(), [secret], now)).toBe('right');
    expect(judgeSignature(signed({}, secret, now / 1_000 - 300), [secret], now)).toBe('right');
    expect(judgeSignature(signed({}, secret, now / 1_000 + 300), [secret], now)).toBe('right');
  });

  it('is right under either secret while one is changed for the other, and under no third', () => {
    const next = 'the-next-secret-of-the-provider';
    for (const key of [secret, next]) expect(judgeSignature(signed({}, key), [secret, next], now)).toBe('right');
    expect(judgeSignature(signed({}, 'a-third'), [secret, next], now)).toBe('signature_invalid');
    expect(judgeSignature(signed({}, next), [secret], now)).toBe('signature_invalid');
  });

  it.each([-301, 301, -3_600, 86_400])('is worthless %d s away', (seconds) => {
    const stale = signed({}, secret, now / 1_000 + seconds);
    expect(judgeSignature(stale, [secret], now)).toBe('timestamp_out_of_range');
  });

  it.each([
    ['another secret', signed({}, 'not-the-secret')],
    ['another body', signed({ rawBody: Buffer.from('{"id":"1","payoutId":"3"}') })],
    ['the same JSON in other bytes', signed({ rawBody: Buffer.from('{"id": "1","payoutId":"2"}') })],
    ['another timestamp', signed({ timestamp: String(now / 1_000 + 1) })],
    ['no timestamp', signed({ timestamp: undefined })],
    ['no signature', signed({ signature: undefined })],
    ['an empty signature', signed({ signature: '' })],
    ['half a signature', signed({ signature: signed().signature!.slice(0, 32) })],
    ['upper case', signed({ signature: signed().signature!.toUpperCase() })],
    ['a timestamp that is no number', signed({ timestamp: '1e9' })],
    ['a negative timestamp', signed({ timestamp: '-1' })],
  ])('is wrong with %s', (_what, delivery) => {
    expect(judgeSignature(delivery, [secret], now)).toBe('signature_invalid');
  });
});
