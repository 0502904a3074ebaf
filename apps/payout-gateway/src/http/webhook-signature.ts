// Who sent a webhook. A right signature makes it worth a question, and nothing more.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Instant } from '@compasso/kernel';

/** How old or how far ahead a signed timestamp may be: a recorded delivery is worthless after this. */
export const timestampToleranceMs = 300_000;

export type SignatureVerdict = 'right' | 'signature_invalid' | 'timestamp_out_of_range';

export interface SignedDelivery {
  readonly rawBody: Uint8Array;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

/** The timestamp is judged only once the signature over it is right: before that anybody could have written it. */
export function judgeSignature(
  delivery: SignedDelivery,
  secrets: readonly string[],
  now: Instant,
): SignatureVerdict {
  const { rawBody, timestamp, signature } = delivery;
  if (timestamp === undefined || signature === undefined) return 'signature_invalid';
  if (!/^\d{1,12}$/.test(timestamp) || !/^[0-9a-f]{64}$/.test(signature)) return 'signature_invalid';
  const claimed = Buffer.from(signature, 'hex');
  const isOurs = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
    return timingSafeEqual(expected, claimed);
  });
  if (!isOurs) return 'signature_invalid';
  const age = now - Number(timestamp) * 1_000;
  return Math.abs(age) <= timestampToleranceMs ? 'right' : 'timestamp_out_of_range';
}
