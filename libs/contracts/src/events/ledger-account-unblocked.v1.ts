import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, uuidField } from '../fields.ts';

export const ledgerAccountUnblockedV1 = defineContract({
  name: 'ledger.account-unblocked',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'The account may send transfers again. The subject is the account.',
  schema: z.object({ accountId: uuidField, reason: codeField }),
});
