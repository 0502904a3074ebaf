import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { amountCentsField, codeField, uuidField } from '../fields.ts';

export const ledgerFundsDepositedV1 = defineContract({
  name: 'ledger.funds-deposited',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'Money came into a customer account; the subject is the account.',
  schema: z.object({
    accountId: uuidField,
    depositId: uuidField,
    amountCents: amountCentsField,
    fingerprint: codeField,
  }),
});
