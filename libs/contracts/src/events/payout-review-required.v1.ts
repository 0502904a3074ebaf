import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, gatewayWordField, instantField, transferFields } from '../fields.ts';

/** The case id is this event's `ce_id`. */
export const payoutReviewRequiredV1 = defineContract({
  name: 'payout.review-required',
  version: 1,
  publisher: 'payout-gateway',
  family: 'payout-events',
  meaning: 'A person must look; the hold is kept and slow queries go on. Opens a case.',
  schema: z.object({
    ...transferFields,
    after: gatewayWordField,
    kind: codeField,
    nextCheckAt: instantField.optional(),
  }),
});
