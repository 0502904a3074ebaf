import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, gatewayWordField, instantField, transferFields } from '../fields.ts';

export const payoutOutcomeUnknownV1 = defineContract({
  name: 'payout.outcome-unknown',
  version: 1,
  publisher: 'payout-gateway',
  family: 'payout-events',
  meaning: 'A call ended without an answer that proves anything; the money stays on hold.',
  schema: z.object({
    ...transferFields,
    after: gatewayWordField,
    attempt: z.int().min(1),
    cause: codeField,
    nextCheckAt: instantField,
    reviewAt: instantField,
  }),
});
