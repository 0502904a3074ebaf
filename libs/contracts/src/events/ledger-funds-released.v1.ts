import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { centsField, codeField, ledgerWordField, transferFields } from '../fields.ts';

export const ledgerFundsReleasedV1 = defineContract({
  name: 'ledger.funds-released',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'The compensation: amount, fee and limits went back to the customer. Terminal.',
  schema: z.object({
    ...transferFields,
    after: ledgerWordField,
    feeCents: centsField,
    reason: codeField,
    limitBuckets: z.array(z.string().max(32)),
  }),
});
