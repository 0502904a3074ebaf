import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, ledgerWordField, maskedPayeeField, metadataField, transferFields } from '../fields.ts';

export const ledgerTransferRefusedV1 = defineContract({
  name: 'ledger.transfer-refused',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'The transfer will not happen and nothing was reserved. Terminal.',
  schema: z.object({
    ...transferFields,
    after: ledgerWordField,
    reason: codeField,
    payee: maskedPayeeField,
    fingerprint: codeField,
    requestedBy: codeField,
    metadata: metadataField.optional(),
  }),
});
