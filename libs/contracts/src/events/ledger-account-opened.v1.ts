import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { limitsField, uuidField } from '../fields.ts';

export const ledgerAccountOpenedV1 = defineContract({
  name: 'ledger.account-opened',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'A customer account exists, with its limits; the subject is the account.',
  schema: z.object({
    accountId: uuidField,
    holderKind: z.enum(['natural', 'legal']),
    limits: limitsField,
  }),
});
