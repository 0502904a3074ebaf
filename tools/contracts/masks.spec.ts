// Two rules, written by two parties, that must give one mask: where they differed, every payout to such a key would come before a
// person as a foreign order.
import { type KeyType, maskPixKey } from '@compasso/contracts';
import { maskKey } from '../../apps/provider-simulator/src/domain/mask-key.ts';

it.each<readonly [KeyType, string]>([
  ['cpf', '52998224725'],
  ['cnpj', '12ABC34501DE35'],
  ['phone', '+5511987654321'],
  ['phone', '+12345678901'],
  ['phone', '+1234567890'],
  ['phone', '+123456789'],
  ['phone', '+123456'],
  ['email', 'maria@exemplo.com.br'],
  ['email', 'a@b.co'],
  ['email', 'a@b'],
  ['evp', '7d9f0335-8dcd-4f53-9b5c-2f6a1e3b8c01'],
])('the mask of a %s is ours and the reference provider’s: %s', (keyType, key) => {
  expect(maskKey(keyType.toUpperCase() as Parameters<typeof maskKey>[0], key)).toBe(maskPixKey({ keyType, key }));
});
