import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, uuidField } from '../fields.ts';

/** A notice: the truth, with the bytes, is in the tables of the service that could not handle the message. */
export const deadLetterOpenedV1 = defineContract({
  name: 'dead-letter.opened',
  version: 1,
  publisher: 'any-service',
  family: 'dead-letters',
  meaning: 'A message could not be handled and waits for a replay. Opens a case.',
  schema: z.object({
    group: z.string().max(256),
    topic: z.string().max(256),
    partition: z.int().min(0),
    offset: z.string().regex(/^\d+$/),
    reason: codeField,
    transferId: uuidField.optional(),
    accountId: uuidField.optional(),
  }),
});
