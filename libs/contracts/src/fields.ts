// The fields that several contracts share, each with one meaning.
import { amountCentsMax, isWireInstant } from '@compasso/kernel';
import { z } from 'zod';

export const uuidField = z.uuid().meta({ id: 'Uuid' });
export const amountCentsField = z
  .int()
  .min(1)
  .max(Number(amountCentsMax))
  .meta({ id: 'AmountCents', description: 'Integer centavos of BRL.' });
export const centsField = z.int().min(0).meta({ id: 'Cents', description: 'Integer centavos of BRL, zero allowed.' });
export const instantField = z.iso
  .datetime({ offset: true })
  .refine(isWireInstant)
  .meta({ id: 'Instant', description: 'RFC 3339, UTC.' });
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
export const metadataField = z
  .record(z.string().min(1).max(40), z.string().max(256))
  .refine((metadata) => JSON.stringify(metadata).length <= 1024, 'at most 1 KiB')
  .meta({ id: 'Metadata', description: 'Up to 1 KiB of strings, echoed in the status feed.' });

export const keyTypeField = z.enum(['cpf', 'cnpj', 'phone', 'email', 'evp']).meta({ id: 'KeyType' });
export const maskedPayeeField = z
  .object({ kind: z.literal('key'), keyType: keyTypeField, keyMasked: z.string().min(1).max(77) })
  .meta({ id: 'MaskedPayee' });
export const sealedPayeeField = maskedPayeeField
  .extend({ sealed: z.string().min(1).max(2048) })
  .meta({ id: 'SealedPayee', description: 'The key itself is a compact JWE that only the payout gateway can open.' });

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
