import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { ledgerWordField, transferFields } from '../fields.ts';

/** After the pivot only the gateway knows whether something has left; the ledger passes the wish on and keeps the hold. */
export const ledgerPayoutCancelRequestedV1 = defineContract({
  name: 'ledger.payout-cancel-requested',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'The payer no longer wants an authorised payout; the gateway gives it up if nothing has left.',
  schema: z.object({ ...transferFields, after: ledgerWordField }),
});
