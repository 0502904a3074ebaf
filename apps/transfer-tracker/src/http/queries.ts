// What callers may ask for. Strict: a filter that nobody knows is a mistake to be told about, not to be ignored.
import { attentionWords, states } from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import { z } from 'zod';
import { caseStates } from '../postgres/tables.ts';

/** `z.uuid()` also takes the nil UUID, which no contract does. */
const lowerUuid = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(isUuid, { params: { code: 'not_a_uuid' } });

const page = {
  cursor: z.string().min(1).max(128).optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .default('50')
    .transform(Number)
    .pipe(z.int().min(1).max(200)),
};

export const transferIdParameter = lowerUuid;

export const transfersQuery = z.strictObject({
  accountId: lowerUuid.optional(),
  state: z.enum(states).optional(),
  attention: z.enum(attentionWords).optional(),
  ...page,
});
export type TransfersQuery = z.output<typeof transfersQuery>;

export const casesQuery = z.strictObject({
  state: z.enum(caseStates).optional(),
  accountId: lowerUuid.optional(),
  ...page,
});
export type CasesQuery = z.output<typeof casesQuery>;
