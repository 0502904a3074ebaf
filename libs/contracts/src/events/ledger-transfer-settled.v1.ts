import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { centsField, ledgerWordField, transferFields } from '../fields.ts';

export const ledgerTransferSettledV1 = defineContract({
  name: 'ledger.transfer-settled',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'The held money has left for good. Terminal.',
  schema: z.object({
    ...transferFields,
    after: ledgerWordField,
    feeCents: centsField,
    endToEndId: z.string().min(1).max(64),
  }),
});
