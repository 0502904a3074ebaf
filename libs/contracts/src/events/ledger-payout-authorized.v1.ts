import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { instantField, ledgerWordField, metadataField, sealedPayeeField, transferFields } from '../fields.ts';

export const ledgerPayoutAuthorizedV1 = defineContract({
  name: 'ledger.payout-authorized',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'The pivot: the gateway may send, once, until `sendBefore`.',
  schema: z.object({
    ...transferFields,
    after: ledgerWordField,
    payee: sealedPayeeField,
    sendBefore: instantField,
    metadata: metadataField.optional(),
  }),
});
