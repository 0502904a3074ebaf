// The words of the public API for where a transfer is: one state and three axes that are never mixed into it.
import { z } from 'zod';

export const states = [
  'started',
  'funds_reserved',
  'awaiting_clearance',
  'submitted',
  'completed',
  'compensating',
  'compensated',
  'refused',
  'needs_review',
] as const;
export const moneyWords = ['none', 'held', 'settled', 'released', 'conflicted'] as const;
export const certaintyWords = ['confirmed', 'in_progress', 'unknown'] as const;
export const attentionWords = ['none', 'late', 'stuck', 'review', 'conflict'] as const;

export const stateField = z.enum(states).meta({ id: 'TransferState' });
export const moneyField = z.enum(moneyWords).meta({ id: 'Money' });
export const certaintyField = z.enum(certaintyWords).meta({ id: 'Certainty' });
export const attentionField = z.enum(attentionWords).meta({ id: 'Attention' });
