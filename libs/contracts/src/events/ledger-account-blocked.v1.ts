import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, uuidField } from '../fields.ts';

export const ledgerAccountBlockedV1 = defineContract({
  name: 'ledger.account-blocked',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'The account sends no new transfers; what is on hold still settles or comes back. The subject is the account.',
  schema: z.object({ accountId: uuidField, reason: codeField }),
});
