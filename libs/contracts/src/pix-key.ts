// Pix keys in their canonical (DICT) form. The type is always said by the caller: 11 digits can be a CPF and a phone
// number at once, so guessing pays the wrong person (pix.md 1.1). Nothing is stripped or repaired before it is judged.
import { cnpj, cpf } from 'cpf-cnpj-validator';

export const keyTypes = ['cpf', 'cnpj', 'phone', 'email', 'evp'] as const;
export type KeyType = (typeof keyTypes)[number];

export interface PixKey {
  readonly keyType: KeyType;
  /** Canonical: digits only, upper-case CNPJ, lower-case e-mail and EVP, E.164 phone. */
  readonly key: string;
}

export type PixKeyRefusal =
  | 'pix_key_cpf_invalid'
  | 'pix_key_cnpj_invalid'
  | 'pix_key_phone_invalid'
  | 'pix_key_email_invalid'
  | 'pix_key_evp_invalid';

/** DICT allows no key longer than this. */
export const keyLengthMax = 77;

const emailPattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;
/** A Brazilian number must be a valid mobile or landline; a foreign one follows E.164 alone. */
const brazilianPhone = /^\+55[1-9][1-9](9\d{8}|[2-5]\d{7})$/;
const foreignPhone = /^\+(?!55)[1-9]\d{1,14}$/;
const evpPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const judges: Record<KeyType, (key: string) => boolean> = {
  cpf: (key) => /^\d{11}$/.test(key) && cpf.isValid(key),
  cnpj: (key) => /^[0-9A-Z]{12}\d{2}$/.test(key) && cnpj.isValid(key),
  phone: (key) => brazilianPhone.test(key) || foreignPhone.test(key),
  email: (key) => key.length <= keyLengthMax && emailPattern.test(key),
  evp: (key) => evpPattern.test(key),
};

/** ASCII alone: `toLowerCase` turns the Kelvin sign into a plain k, which would be another person's e-mail. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const canonical = (keyType: KeyType, key: string): string =>
  keyType === 'email' || keyType === 'evp' ? lowerAscii(key) : key;

/** Only e-mail and EVP are folded to lower case; everything else must already be canonical. */
export function readPixKey(
  keyType: KeyType,
  text: string,
): { readonly ok: true; readonly value: PixKey } | { readonly ok: false; readonly code: PixKeyRefusal } {
  const key = canonical(keyType, text);
  if (!judges[keyType](key)) return { ok: false, code: `pix_key_${keyType}_invalid` };
  return { ok: true, value: { keyType, key } };
}

const keep = (text: string, from: number, to: number): string =>
  [...text].map((letter, at) => (at >= from && at < to ? letter : '*')).join('');

/** One letter would be all there is to hide. */
const maskTail = (text: string): string => keep(text, 0, text.length > 1 ? 1 : 0);

/** A short foreign number would be nothing but its visible head and tail. */
const maskPhone = (key: string): string =>
  key.length < 11
    ? keep(key, 0, 1)
    : `${key.slice(0, 3)}${'*'.repeat(key.length - 7)}${key.slice(-4)}`;

/** What people and events see instead of the key: enough to recognise, too little to use. */
export function maskPixKey({ keyType, key }: PixKey): string {
  switch (keyType) {
    case 'cpf':
      return keep(key, 3, 9);
    case 'cnpj':
      return keep(key, 2, 12);
    case 'phone':
      return maskPhone(key);
    case 'email': {
      const [local = '', domain = ''] = key.split('@');
      return `${maskTail(local)}@${maskTail(domain)}`;
    }
    case 'evp':
      return `${key.slice(0, 8)}-****-****-****-************`;
  }
}
