// A name for the bytes of an order, kept with each attempt: what is sent again is what was sent. The sealed payee stands in
// for the key: a digest of the few digits of a CPF could be guessed back (attack H6).
import { createHash } from 'node:crypto';
import type { Instruction } from '../domain/payout.ts';

export const requestDigestOf = ({ provider, providerOrderId, amountCents, payee }: Instruction): string =>
  createHash('sha256')
    .update(JSON.stringify([provider, providerOrderId, String(amountCents), payee.keyType, payee.sealed]))
    .digest('base64url');
