import { z } from 'zod';
import { defineContract } from '../contract.ts';
import {
  centsField,
  codeField,
  instantField,
  ledgerWordField,
  maskedPayeeField,
  metadataField,
  transferFields,
} from '../fields.ts';

export const ledgerFundsReservedV1 = defineContract({
  name: 'ledger.funds-reserved',
  version: 1,
  publisher: 'ledger',
  family: 'ledger-events',
  meaning: 'The amount and its fee are on hold; listed clearances must come before the pivot.',
  schema: z.object({
    ...transferFields,
    after: ledgerWordField,
    feeCents: centsField,
    payee: maskedPayeeField,
    clearances: z.array(z.object({ name: codeField, deadline: instantField })),
    limitBuckets: z.array(z.string().max(32)).describe('The limits that this hold used: day:D, night:D.'),
    fingerprint: codeField,
    requestedBy: codeField,
    metadata: metadataField.optional(),
  }),
});
