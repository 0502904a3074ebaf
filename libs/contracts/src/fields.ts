// The fields that several contracts share, each with one meaning.
import { amountCentsMax, isWireInstant } from '@compasso/kernel';
import { z } from 'zod';

/** Lower case only: `z.uuid()` also takes upper case, and then one account would have two keys and two partitions. */
export const uuidField = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  .meta({ id: 'Uuid', format: 'uuid', description: 'A UUID in lower case.' });
export const amountCentsField = z
  .int()
  .min(1)
  .max(Number(amountCentsMax))
  .meta({ id: 'AmountCents', description: 'Integer centavos of BRL.' });
export const centsField = z.int().min(0).meta({ id: 'Cents', description: 'Integer centavos of BRL, zero allowed.' });

const firstInstant = Date.parse('1970-01-01T00:00:00Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');
/** Beyond these years an instant has no RFC 3339 text any more once it is turned to UTC. */
const isOfOurCalendar = (text: string): boolean =>
  isWireInstant(text) && Date.parse(text) >= firstInstant && Date.parse(text) <= lastInstant;
export const instantField = z.iso
  .datetime({ offset: true })
  .refine(isOfOurCalendar)
  .meta({ id: 'Instant', description: 'RFC 3339, UTC, years 1970 to 9999.' });

/** Stable, snake_case; never free text, which could carry personal data (attack H28). */
export const codeField = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/)
  .meta({ id: 'Code', description: 'A stable code, never free text.' });
export const clientReferenceField = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\x20-\x7e]+$/)
  .meta({ id: 'ClientReference', description: "The requester's own reference, echoed in every event." });

export const metadataBytesMax = 1024;
const utf8 = new TextEncoder();
const fitsMetadata = (metadata: object): boolean =>
  utf8.encode(JSON.stringify(metadata)).length <= metadataBytesMax;
/** A database cannot keep U+0000 or half of a surrogate pair: one such string would stop a whole batch. */
const isStorable = (metadata: Readonly<Record<string, string>>): boolean =>
  Object.entries(metadata).every((entry) => entry.every((text) => /^[^\0\p{Cs}]*$/u.test(text)));
export const metadataField = z
  .record(z.string().min(1).max(40), z.string().max(256))
  .refine(fitsMetadata, 'at most 1 KiB')
  .refine(isStorable, 'no U+0000, no lone surrogate')
  .meta({
    id: 'Metadata',
    description: 'Up to 1 KiB (as UTF-8 JSON) of strings without U+0000, echoed in the status feed.',
  });

export const keyTypeField = z.enum(['cpf', 'cnpj', 'phone', 'email', 'evp']).meta({ id: 'KeyType' });
export const maskedPayeeField = z
  .object({
    kind: z.literal('key'),
    keyType: keyTypeField,
    keyMasked: z
      .string()
      .min(1)
      .max(77)
      .regex(/^[\x21-\x7e]+$/),
  })
  .meta({ id: 'MaskedPayee' });
export const sealedPayeeField = maskedPayeeField
  .extend({
    sealed: z
      .string()
      .min(1)
      .max(2048)
      .regex(/^[A-Za-z0-9_.-]+$/),
  })
  .meta({ id: 'SealedPayee', description: 'The key itself is a compact JWE that only the payout gateway can open.' });

export const limitsField = z.object({ perTransferCents: centsField, dayCents: centsField, nightCents: centsField });

/** What every event of a transfer carries. */
export const transferFields = {
  accountId: uuidField,
  amountCents: amountCentsField,
  clientReference: clientReferenceField.optional(),
};

export const ledgerWordField = z
  .enum(['refused', 'reserved', 'authorized', 'settled', 'released'])
  .meta({ id: 'LedgerWord', description: "The ledger's own word for the transfer after this event." });
export const gatewayWordField = z
  .enum(['submitted', 'unknown', 'review', 'confirmed', 'rejected'])
  .meta({ id: 'GatewayWord', description: "The gateway's own word for the payout after this event." });
