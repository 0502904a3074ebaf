// The gateway's keys for payees: the private ones open, and their public halves are published.
import type { PublicKeys } from '@compasso/contracts';
import { z } from 'zod';

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** P-256 alone: the curve that sealing uses. Other members of a key (use, alg) pass through. */
const privateKey = z.looseObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: coordinate,
  y: coordinate,
  d: coordinate,
  kid: z.string().min(1),
});

export const privateKeySet = z.object({ keys: z.array(privateKey).min(1) });
export type PrivateKeySet = z.output<typeof privateKeySet>;

/** Only what is named here is published: a field that nobody thought of stays private. */
export const publicKeysOf = ({ keys }: PrivateKeySet): PublicKeys => ({
  keys: keys.map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid, use: 'enc', alg: 'ECDH-ES' })),
});
