// Two commands under one id are the same if their fingerprints are. Keyed, because a plain hash of
// a CPF can be undone by trying them all; and never of the sealed payee, which differs with every
// sealing (attack H6).
import { createHmac, createSecretKey } from 'node:crypto';
import type { Cents } from '@compasso/kernel';

export interface PayeeOfRequest {
  readonly keyType: string;
  /** The key itself over HTTP; its mask on a topic, where the key is sealed. */
  readonly key: string;
}

export interface TransferContent {
  readonly accountId: string;
  readonly amount: Cents;
  readonly payee: PayeeOfRequest;
}

export interface Fingerprints {
  /** The door is part of it: a mask and a key must never be taken for each other. */
  ofTransfer(door: 'http' | 'topic', content: TransferContent): string;
  ofDeposit(content: { readonly accountId: string; readonly amount: Cents }): string;
}

export function fingerprintsWith(secret: Uint8Array): Fingerprints {
  // Made once: raw bytes would be wrapped anew for each digest, which costs seven times the digest.
  const key = createSecretKey(secret);
  const digest = (name: string, parts: readonly string[]): string =>
    `${name}.${createHmac('sha256', key)
      .update(JSON.stringify([name, ...parts]))
      .digest('base64url')}`;
  return {
    ofTransfer: (door, { accountId, amount, payee }) =>
      digest(door, [accountId, String(amount), payee.keyType, payee.key]),
    ofDeposit: ({ accountId, amount }) => digest('deposit', [accountId, String(amount)]),
  };
}
