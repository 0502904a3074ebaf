import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { instantField, metadataField, sealedPayeeField, transferFields } from '../fields.ts';

/** The subject is the transfer id, drawn by the requester (UUID v7 advised); the key is the payer's account. */
export const transferRequestedV1 = defineContract({
  name: 'transfer.requested',
  version: 1,
  publisher: 'requester',
  family: 'transfer-requests',
  meaning: 'A team asks for a Pix to leave an account that it may debit.',
  schema: z.object({
    ...transferFields,
    payee: sealedPayeeField,
    metadata: metadataField.optional(),
    notAfter: instantField.optional(),
  }),
});
