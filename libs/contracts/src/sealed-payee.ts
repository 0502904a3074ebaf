// A payee travels as a mask for people and a compact JWE for the one service that pays. Only the gateway holds the
// private keys; it recomputes mask and type on opening, so that nobody approves A and pays B (attack H11).
import { CodedError } from '@compasso/kernel';
import { CompactEncrypt, compactDecrypt, importJWK, type JWK } from 'jose';
import { keyTypes, maskPixKey, type PixKey, readPixKey } from './pix-key.ts';

export interface MaskedPayee {
  readonly kind: 'key';
  readonly keyType: PixKey['keyType'];
  readonly keyMasked: string;
}
export interface SealedPayee extends MaskedPayee {
  readonly sealed: string;
}

export interface PublicKeys {
  readonly keys: readonly JWK[];
}

export const maskPayee = (key: PixKey): MaskedPayee => ({
  kind: 'key',
  keyType: key.keyType,
  keyMasked: maskPixKey(key),
});

/**
 * Seals to the first key of the gateway's JWKS: a rotation publishes the new key first and drops the old one later.
 * @throws CodedError `payee_key_set_empty`
 */
export async function sealPayee(key: PixKey, publicKeys: PublicKeys): Promise<SealedPayee> {
  const jwk = publicKeys.keys[0];
  if (jwk === undefined) {
    throw new CodedError('payee_key_set_empty', 'The key set of the payout gateway is empty.');
  }
  const sealed = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(key)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...(jwk.kid ? { kid: jwk.kid } : {}) })
    .encrypt(await importJWK(jwk, 'ECDH-ES'));
  return { ...maskPayee(key), sealed };
}

export type OpenedPayee =
  | { readonly ok: true; readonly key: PixKey }
  | { readonly ok: false; readonly code: 'payee_unreadable' | 'payee_mismatch' };

export type OpenPayee = (payee: SealedPayee) => Promise<OpenedPayee>;

/** `payee_unreadable` may heal (a key that is not here yet); `payee_mismatch` never does. */
export async function payeeOpener(privateKeys: { readonly keys: readonly JWK[] }): Promise<OpenPayee> {
  const imported = await Promise.all(
    privateKeys.keys.map(async (jwk) => ({ kid: jwk.kid, key: await importJWK(jwk, 'ECDH-ES') })),
  );
  return async (payee) => {
    let plaintext: Uint8Array;
    try {
      const opened = await compactDecrypt(payee.sealed, (header) => {
        const known = imported.find((candidate) => candidate.kid === header.kid) ?? imported[0];
        if (known === undefined) throw new CodedError('payee_key_set_empty', 'There is no private key.');
        return known.key;
      });
      plaintext = opened.plaintext;
    } catch {
      return { ok: false, code: 'payee_unreadable' };
    }
    return judge(plaintext, payee);
  };
}

function judge(plaintext: Uint8Array, payee: SealedPayee): OpenedPayee {
  const mismatch = { ok: false, code: 'payee_mismatch' } as const;
  let claimed: unknown;
  try {
    claimed = JSON.parse(new TextDecoder().decode(plaintext));
  } catch {
    return mismatch;
  }
  const { keyType, key } = (claimed ?? {}) as { keyType?: unknown; key?: unknown };
  const known = keyTypes.find((candidate) => candidate === keyType);
  if (known === undefined || typeof key !== 'string') return mismatch;
  const read = readPixKey(known, key);
  if (!read.ok || known !== payee.keyType || maskPixKey(read.value) !== payee.keyMasked) return mismatch;
  return { ok: true, key: read.value };
}
