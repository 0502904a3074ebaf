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
      return `${key.slice(0, 3)}${'*'.repeat(Math.max(0, key.length - 7))}${key.slice(-4)}`;
    case 'EMAIL': {
      const [local = '', domain = ''] = key.split('@');
      return `${hideTail(local)}@${hideTail(domain)}`;
    }
    case 'EVP':
      return `${key.slice(0, 8)}-****-****-****-************`;
  }
}

const hideTail = (text: string): string =>
  `${text.slice(0, 1)}${'*'.repeat(Math.max(0, text.length - 1))}`;
