import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, gatewayWordField, transferFields } from '../fields.ts';

/** `after` is missing where the gateway has said nothing yet: the order is being sent at this moment. */
export const payoutCancelRefusedV1 = defineContract({
  name: 'payout.cancel-refused',
  version: 1,
  publisher: 'payout-gateway',
  family: 'payout-events',
  meaning: 'The payout goes on: the order may have left, so nothing proves that it can be given up.',
  schema: z.object({ ...transferFields, after: gatewayWordField.optional(), reason: codeField }),
});
