// A payee travels as a mask for people and a compact JWE for the one service that pays. Only the gateway holds the
// private keys; it recomputes mask and type on opening, so that nobody approves A and pays B (attack H11).
import type { KeyObject } from 'node:crypto';
import { CodedError } from '@compasso/kernel';
import type { JWK } from 'jose';
import { keyTypes, maskPixKey, type PixKey, readPixKey } from './pix-key.ts';
import {
  type CompactParts,
  judgeHeader,
  newContentKey,
  openWith,
  partsOf,
  privateKeyOf,
  publicKeyOf,
  sealWith,
} from './sealed-payee-jwe.ts';

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
 * Each call agrees on a key of its own; who seals many uses `sealerTo`.
 * @throws CodedError `payee_key_set_empty`, `payee_key_unusable`
 */
export async function sealPayee(key: PixKey, publicKeys: PublicKeys): Promise<SealedPayee> {
  return sealerTo(publicKeys)(key);
}

export type SealPayee = (key: PixKey) => SealedPayee;

/** For how long one ephemeral key serves: the bounds of docs/decisions/0042. */
export const sealerLimits = { lastsMsMax: 3_600_000, sealsMax: 2 ** 20 } as const;

export interface SealerOptions {
  readonly monotonic?: () => number;
  /** Fewer than the limit, for who wants to agree on keys more often. */
  readonly sealsMax?: number;
}

/**
 * Seals many payees. Agreeing on a key costs many times what sealing does, so one agreement serves for a while; every seal
 * has a fresh random IV.
 * @throws CodedError `payee_key_set_empty`, `payee_key_unusable`
 */
export function sealerTo(publicKeys: PublicKeys, options: SealerOptions = {}): SealPayee {
  const jwk = publicKeys.keys[0];
  if (jwk === undefined) {
    throw new CodedError('payee_key_set_empty', 'The key set of the payout gateway is empty.');
  }
  const recipient = publicKeyOf(jwk);
  const { monotonic = () => performance.now() } = options;
  const sealsMax = Math.min(options.sealsMax ?? sealerLimits.sealsMax, sealerLimits.sealsMax);
  const agree = () => ({ key: newContentKey(recipient, jwk.kid), from: monotonic(), seals: 0 });
  let current = agree();
  return (key) => {
    const isOld = monotonic() - current.from >= sealerLimits.lastsMsMax;
    if (isOld || current.seals >= sealsMax) current = agree();
    current.seals += 1;
    return { ...maskPayee(key), sealed: sealWith(current.key, JSON.stringify(key)) };
  };
}

export type OpenedPayee =
  | { readonly ok: true; readonly key: PixKey }
  | { readonly ok: false; readonly code: 'payee_unreadable' | 'payee_mismatch' };

export type OpenPayee = (payee: SealedPayee) => OpenedPayee;

/** Content keys that are remembered: a sender uses one for up to an hour. */
const contentKeysMax = 1_000;

/**
 * `payee_unreadable` may heal (a key that is not here yet); `payee_mismatch` never does.
 * @throws CodedError `payee_key_unusable`
 */
export function payeeOpener(privateKeys: { readonly keys: readonly JWK[] }): OpenPayee {
  const imported = privateKeys.keys.map((jwk) => ({ kid: jwk.kid, key: privateKeyOf(jwk) }));
  const remembered = new Remembered(contentKeysMax);
  const open = (parts: CompactParts): Buffer | undefined => {
    const known = remembered.get(parts.protectedHeader);
    if (known !== undefined) return openWith(known, parts);
    const header = judgeHeader(parts.protectedHeader);
    const its = header?.kid === undefined ? imported[0] : imported.find(({ kid }) => kid === header.kid);
    if (header === undefined || its === undefined) return undefined;
    const contentKey = header.contentKeyWith(its.key);
    const plaintext = openWith(contentKey, parts);
    // Not before something has opened with it: nobody fills the memory with headers alone.
    if (plaintext !== undefined) remembered.keep(parts.protectedHeader, contentKey);
    return plaintext;
  };
  return (payee) => {
    const parts = partsOf(payee.sealed);
    const plaintext = parts === undefined ? undefined : open(parts);
    return plaintext === undefined ? { ok: false, code: 'payee_unreadable' } : judge(plaintext, payee);
  };
}

/**
 * The content keys that opened something lately, by protected header. The header's text names the private key, too: its
 * `kid`, or none for the first, and the keys of an opener never change.
 */
class Remembered {
  readonly #max: number;
  readonly #keys = new Map<string, KeyObject>();

  constructor(max: number) {
    this.#max = max;
  }

  get(protectedHeader: string): KeyObject | undefined {
    const key = this.#keys.get(protectedHeader);
    if (key !== undefined) this.keep(protectedHeader, key);
    return key;
  }

  /** As the one that was used last. */
  keep(protectedHeader: string, key: KeyObject): void {
    this.#keys.delete(protectedHeader);
    this.#keys.set(protectedHeader, key);
    if (this.#keys.size <= this.#max) return;
    for (const [oldest] of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }
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
