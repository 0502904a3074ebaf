// What callers may send. Strict: a field that nobody knows is a mistake to be told about, not to be
// dropped.
import { clientReferenceField, codeField, keyTypes, metadataField } from '@compasso/contracts';
import { amountCentsMax, instantFromWire, isUuid, isWireInstant } from '@compasso/kernel';
import { z } from 'zod';
import { holderKinds } from '../domain/account.ts';

/** `z.uuid()` also takes the nil UUID, which no contract does. */
const lowerUuid = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(isUuid, { params: { code: 'not_a_uuid' } });
const amountCents = z.int().min(1).max(Number(amountCentsMax));
const limitCents = z.int().min(0);

export const accountIdParameter = lowerUuid;
export const transferIdParameter = lowerUuid;

export const setLimitsBody = z.strictObject({
  perTransferCents: limitCents,
  dayCents: limitCents,
  nightCents: limitCents,
});
export type SetLimitsBody = z.output<typeof setLimitsBody>;

/** A code, not a text: it goes to a topic. */
export const blockBody = z.strictObject({ reason: codeField });
export type BlockBody = z.output<typeof blockBody>;

export const openAccountBody = z.strictObject({
  /** Optional, because the Idempotency-Key is the account's id already. */
  accountId: lowerUuid.optional(),
  holderKind: z.enum(holderKinds),
  limits: setLimitsBody,
});
export type OpenAccountBody = z.output<typeof openAccountBody>;

export const depositBody = z.strictObject({ amountCents });
export type DepositBody = z.output<typeof depositBody>;

/** Years in which an instant still has an RFC 3339 text once it is turned to UTC. */
const isOfOurCalendar = (text: string): boolean => {
  const year = isWireInstant(text) ? new Date(text).getUTCFullYear() : 0;
  return year >= 1970 && year <= 9999;
};

export const transferBody = z.strictObject({
  accountId: lowerUuid,
  amountCents,
  payee: z.strictObject({
    kind: z.literal('key'),
    keyType: z.enum(keyTypes),
    key: z.string().min(1).max(77),
  }),
  clientReference: clientReferenceField.optional(),
  metadata: metadataField.optional(),
  notAfter: z
    .string()
    .max(40)
    .refine(isOfOurCalendar, { params: { code: 'not_an_instant' } })
    .transform(instantFromWire)
    .optional(),
});
export type TransferBody = z.output<typeof transferBody>;

/** The account says who is asking: the transfer itself may not be there yet. */
export const cancelBody = z.strictObject({ accountId: lowerUuid });
export type CancelBody = z.output<typeof cancelBody>;

const pageSize = { max: 200, default: '50' } as const;

export const entriesQuery = z.strictObject({
  cursor: z.string().min(1).max(64).optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .default(pageSize.default)
    .transform(Number)
    .pipe(z.int().min(1).max(pageSize.max)),
});
export type EntriesQuery = z.output<typeof entriesQuery>;
