import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, uuidField } from '../fields.ts';

/**
 * The subject is the command's own `ce_id`, never the transfer: a second command under a known transfer id must not
 * look like the end of the first (attack H6).
 */
export const ledgerCommandRefusedV1 = defineContract({
  name: 'ledger.command-refused',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'A readable command was not taken, and changed nothing.',
  schema: z.object({
    reason: codeField,
    commandSource: z.string().max(128),
    transferId: uuidField.optional(),
    invalidFields: z.array(z.string().max(128)).max(20).optional(),
  }),
});
