import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { gatewayWordField, transferFields, uuidField } from '../fields.ts';

export const payoutReviewClosedV1 = defineContract({
  name: 'payout.review-closed',
  version: 1,
  publisher: 'payout-gateway',
  family: 'payout-events',
  meaning: 'The case is over: late proof decided it. Closes a case.',
  schema: z.object({
    ...transferFields,
    after: gatewayWordField,
    caseId: uuidField,
    by: z.enum(['proof', 'decision', 'refused']),
  }),
});
