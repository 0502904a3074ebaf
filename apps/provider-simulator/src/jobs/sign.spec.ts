import { instantOf } from '@compasso/kernel';
import { createHmac } from 'node:crypto';
import { sign } from './sign.ts';

const now = instantOf(1_800_000_000_999);
const body = '{"id":"1"}';

describe('a webhook signature', () => {
  it('is the hex HMAC-SHA256 of timestamp, dot and raw body', () => {
    const signed = sign(body, { secret: 'quiet', kind: 'right', now });
    expect(signed['x-provider-timestamp']).toBe('1800000000');
    expect(signed['x-provider-signature']).toBe(
      createHmac('sha256', 'quiet').update(`1800000000.${body}`).digest('hex'),
    );
  });

  it('of a forger does not verify', () => {
    const right = sign(body, { secret: 'quiet', kind: 'right', now });
    const wrong = sign(body, { secret: 'quiet', kind: 'wrong', now });
    expect(wrong['x-provider-timestamp']).toBe(right['x-provider-timestamp']);
    expect(wrong['x-provider-signature']).not.toBe(right['x-provider-signature']);
  });

  it('that is stale verifies, but is an hour old', () => {
    const stale = sign(body, { secret: 'quiet', kind: 'stale', now });
    expect(stale['x-provider-timestamp']).toBe('1799996400');
    expect(stale['x-provider-signature']).toBe(
      createHmac('sha256', 'quiet').update(`1799996400.${body}`).digest('hex'),
    );
  });
});
