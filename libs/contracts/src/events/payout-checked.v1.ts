import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, gatewayWordField, instantField, transferFields } from '../fields.ts';

/** Said only when the answer changes or at checks 1, 2, 4, 8, …: an answer that repeats is no news. */
export const payoutCheckedV1 = defineContract({
  name: 'payout.checked',
  version: 1,
  publisher: 'payout-gateway',
  family: 'payout-events',
  meaning: 'The provider was asked and the outcome is still undecided.',
  schema: z.object({
    ...transferFields,
    after: gatewayWordField,
    check: z.int().min(1),
    answer: codeField,
    nextCheckAt: instantField.optional(),
  }),
});
