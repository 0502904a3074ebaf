import type { PayeeKeyType } from './payout.ts';

const hide = (text: string, from: number, to: number): string =>
  `${'*'.repeat(from)}${text.slice(from, to)}${'*'.repeat(Math.max(0, text.length - to))}`;

/** The mask that answers carry, as docs/provider-reference-wire-format.md promises it. */
export function maskKey(keyType: PayeeKeyType, key: string): string {
  switch (keyType) {
    case 'CPF':
      return hide(key, 3, 9);
    case 'CNPJ':
      return hide(key, 2, 12);
    case 'PHONE':
      return key.length < 11 ? hideTail(key) : `${key.slice(0, 3)}${'*'.repeat(key.length - 7)}${key.slice(-4)}`;
    case 'EMAIL': {
      const [local = '', domain = ''] = key.split('@');
      return `${hideTail(local)}@${hideTail(domain)}`;
    }
    case 'EVP':
      return `${key.slice(0, 8)}-****-****-****-************`;
  }
}

const hideTail = (text: string): string =>
  text.length > 1 ? `${text.slice(0, 1)}${'*'.repeat(text.length - 1)}` : '*'.repeat(text.length);
