import { maskKey } from './mask-key.ts';

describe('the mask of a key', () => {
  it.each([
    ['CPF', '52998224725', '***982247**'],
    ['CNPJ', '12ABC34501DE35', '**ABC34501DE**'],
    ['PHONE', '+5511987654321', '+55*******4321'],
    ['PHONE', '+123456', '+******'],
    ['EMAIL', 'maria@exemplo.com.br', 'm****@e*************'],
    ['EMAIL', 'a@b.co', '*@b***'],
    ['EVP', '7d9f0335-8dcd-4f53-9b5c-2f6a1e3b8c01', '7d9f0335-****-****-****-************'],
  ] as const)('of type %s: %s is shown as %s', (keyType, key, shown) => {
    expect(maskKey(keyType, key)).toBe(shown);
  });
});
