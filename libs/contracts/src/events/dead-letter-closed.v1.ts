import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { uuidField } from '../fields.ts';

export const deadLetterClosedV1 = defineContract({
  name: 'dead-letter.closed',
  version: 1,
  publisher: 'any-service',
  family: 'dead-letters',
  meaning: 'The dead letter was replayed with its effect, or set aside. Closes a case.',
  schema: z.object({ caseId: uuidField, by: z.enum(['replayed', 'discarded']) }),
});
