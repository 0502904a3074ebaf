import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { instantField, limitsField, uuidField } from '../fields.ts';

export const ledgerLimitsChangedV1 = defineContract({
  name: 'ledger.limits-changed',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'An account has other limits: lowered ones at once, raised ones from an instant on. The subject is the account.',
  schema: z.object({
    accountId: uuidField,
    limits: limitsField,
    raised: z.object({ limits: limitsField, from: instantField }).optional(),
  }),
});
