import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, gatewayWordField, instantField, transferFields } from '../fields.ts';

export const payoutSubmittedV1 = defineContract({
  name: 'payout.submitted',
  version: 1,
  publisher: 'payout-gateway',
  family: 'payout-events',
  meaning: 'The provider accepted the order: not the intent, not the call.',
  schema: z.object({
    ...transferFields,
    after: gatewayWordField,
    attempt: z.int().min(1),
    provider: codeField,
    providerOrderId: codeField,
    nextCheckAt: instantField,
    reviewAt: instantField,
  }),
});
