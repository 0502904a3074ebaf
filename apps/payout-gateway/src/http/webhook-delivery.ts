// A delivery of the reference provider, judged and named, before anything is written.
import { createHash } from 'node:crypto';
import type { Instant } from '@compasso/kernel';
import { z } from 'zod';
import type { Delivery } from '../postgres/record-deliveries.ts';
import { judgeSignature, type SignedDelivery } from './webhook-signature.ts';

const notification = z.object({
  id: z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/),
  type: z.string().max(100),
  payoutId: z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/),
  status: z.string().regex(/^[a-z_]{1,40}$/),
});

export interface DeliveryContext {
  readonly provider: string;
  /** All that are valid now: two of them while the provider changes from one to the other. */
  readonly secrets: readonly string[];
  readonly now: Instant;
}

export function readDelivery(signed: SignedDelivery, { provider, secrets, now }: DeliveryContext): Delivery {
  const signature = judgeSignature(signed, secrets, now);
  const read = notification.safeParse(parse(signed.rawBody));
  const claims = {
    provider,
    providerOrderId: read.success ? read.data.payoutId : null,
    claimedStatus: read.success ? read.data.status : null,
  };
  // The id of an event is believed only under a right signature: a forger must not be able to use it up.
  if (signature !== 'right') return { ...claims, deliveryId: digestOf(signed), verdict: signature };
  if (!read.success) return { ...claims, deliveryId: digestOf(signed), verdict: 'unreadable' };
  return { ...claims, deliveryId: read.data.id, verdict: 'right' };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    // Not JSON: the verdict says so.
    return undefined;
  }
}

/** The same forgery again is the same row. */
const digestOf = ({ rawBody, timestamp = '', signature = '' }: SignedDelivery): string =>
  `sha256:${createHash('sha256').update(`${timestamp}\n${signature}\n`).update(rawBody).digest('base64url')}`;
