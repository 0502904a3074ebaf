import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { uuidField } from '../fields.ts';

/**
 * The subject is the transfer id, the key the payer's account. It may come before the request that it is about: that one is
 * refused then. It asks; what became of the money is told by the events that follow.
 */
export const transferCancelRequestedV1 = defineContract({
  name: 'transfer.cancel-requested',
  version: 1,
  publisher: 'requester',
  family: 'transfer-requests',
  meaning: 'A team no longer wants a transfer, as long as its money can still be kept.',
  schema: z.object({ accountId: uuidField }),
});
