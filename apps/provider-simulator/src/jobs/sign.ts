import type { Instant } from '@compasso/kernel';
import { createHmac } from 'node:crypto';
import { durations, type SignatureKind } from '../domain/fault.ts';

export interface Signed {
  readonly 'x-provider-timestamp': string;
  readonly 'x-provider-signature': string;
}

/** The signature headers of a webhook: hex HMAC-SHA256 over `<timestamp>.<raw body>`. */
export function sign(
  body: string,
  {
    secret,
    kind,
    now,
  }: { readonly secret: string; readonly kind: SignatureKind; readonly now: Instant },
): Signed {
  const at = kind === 'stale' ? now - durations.staleSignatureMs : now;
  const timestamp = Math.trunc(at / 1_000).toString();
  // A forger knows everything but the secret.
  const key = kind === 'wrong' ? `not-${secret}` : secret;
  return {
    'x-provider-timestamp': timestamp,
    'x-provider-signature': createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex'),
  };
}
