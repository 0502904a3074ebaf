// The body of PUT /v1/payouts/{id}: read from the raw bytes, because their digest is kept as well.
import { centsOf, isUuid } from '@compasso/kernel';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { isEndToEndId } from '../domain/end-to-end-id.ts';
import type { SubmitPayout } from '../domain/payout.decide.ts';
import { payeeKeyTypes } from '../domain/payout.ts';
import { jsonOf } from './request-body.ts';

const payoutRequest = z.strictObject({
  amountCents: z.int().min(1).max(999_999_999_999),
  payee: z.strictObject({ keyType: z.enum(payeeKeyTypes), key: z.string().min(1).max(77) }),
  endToEndId: z.string().refine(isEndToEndId).optional(),
  description: z.string().max(140).optional(),
});

export const digestOf = (content: string | Uint8Array): string => hash('sha256', content, 'hex');

/** The payout id of a path, folded to lower case, or nothing. */
export function readPayoutId(text: string): string | undefined {
  const folded = text.toLowerCase();
  return isUuid(folded) ? folded : undefined;
}

/** Nothing, when the bytes are not such a request. */
export function readPayoutRequest(
  payoutId: string,
  body: Buffer,
): SubmitPayout | undefined {
  const parsed = payoutRequest.safeParse(jsonOf(body));
  if (!parsed.success) return undefined;
  const { amountCents, payee, endToEndId, description } = parsed.data;
  const identity = [amountCents, payee.keyType, payee.key, endToEndId ?? null, description ?? null];
  return {
    payoutId,
    amountCents: centsOf(amountCents),
    keyType: payee.keyType,
    key: payee.key,
    ...(endToEndId && { endToEndId }),
    requestDigest: digestOf(JSON.stringify(identity)),
  };
}
