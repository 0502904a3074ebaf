import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, gatewayWordField, transferFields } from '../fields.ts';

export const payoutRejectedV1 = defineContract({
  name: 'payout.rejected',
  version: 1,
  publisher: 'payout-gateway',
  family: 'payout-events',
  meaning: 'There is proof of not paid; the only event upon which the ledger releases after the pivot.',
  schema: z.object({
    ...transferFields,
    after: gatewayWordField,
    code: codeField,
    evidence: codeField,
  }),
});
