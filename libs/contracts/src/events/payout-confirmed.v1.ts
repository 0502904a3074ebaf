import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, gatewayWordField, transferFields } from '../fields.ts';

export const payoutConfirmedV1 = defineContract({
  name: 'payout.confirmed',
  version: 1,
  publisher: 'payout-gateway',
  family: 'payout-events',
  meaning: 'There is proof of paid, with this amount.',
  schema: z.object({
    ...transferFields,
    after: gatewayWordField,
    endToEndId: z.string().min(1).max(64),
    evidence: codeField,
  }),
});
