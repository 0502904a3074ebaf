import { z } from 'zod';
import { defineContract } from '../contract.ts';
import { codeField, instantField, metadataField, transferFields } from '../fields.ts';
import { attentionField, certaintyField, moneyField, stateField } from '../public-words.ts';

/** Keyed by transfer; consumers keep the highest (projection, version). */
export const transferStatusChangedV1 = defineContract({
  name: 'transfer.status-changed',
  version: 1,
  publisher: 'transfer-tracker',
  family: 'transfer-status',
  meaning: 'The latest known state of a transfer, for whoever wants to follow it.',
  schema: z.object({
    ...transferFields,
    amountCents: transferFields.amountCents.optional(),
    state: stateField,
    money: moneyField,
    certainty: certaintyField,
    attention: attentionField,
    reason: codeField.optional(),
    projection: z.int().min(1),
    version: z.int().min(1),
    asOf: instantField,
    metadata: metadataField.optional(),
  }),
});
