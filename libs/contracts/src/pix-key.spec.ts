import { cnpj, cpf } from 'cpf-cnpj-validator';
import fc from 'fast-check';
import {
  keyLengthMax,
  keyTypes,
  type KeyType,
  maskPixKey,
  type PixKey,
  readPixKey,
} from './pix-key.ts';

/** Valid as a CPF, and as a mobile number of São Paulo written without its country. */
const elevenDigitsOfEither = '11987650034';

const accepted: readonly (readonly [string, KeyType, string, string])[] = [
  ['a CPF', 'cpf', '52998224725', '52998224725'],
  ['a numeric CNPJ', 'cnpj', '11222333000181', '11222333000181'],
  ["the tax office's own alphanumeric CNPJ", 'cnpj', '12ABC34501DE35', '12ABC34501DE35'],
  ['an alphanumeric CNPJ of letters alone', 'cnpj', 'AAAAAAAAAAAA45', 'AAAAAAAAAAAA45'],
  ['a Brazilian mobile', 'phone', '+5511987650034', '+5511987650034'],
  ['a Brazilian landline', 'phone', '+551133334444', '+551133334444'],
  ['a Portuguese phone', 'phone', '+351912345678', '+351912345678'],
  ['an American phone', 'phone', '+12125550123', '+12125550123'],
  ['an e-mail', 'email', 'ana.souza@exemplo.com.br', 'ana.souza@exemplo.com.br'],
  ['an e-mail in capitals', 'email', 'Ana.Souza@Exemplo.COM.BR', 'ana.souza@exemplo.com.br'],
  ['an e-mail of odd but legal signs', 'email', "o'neil+pix_{1}@a-b.co", "o'neil+pix_{1}@a-b.co"],
  ['an EVP', 'evp', '123e4567-e89b-12d3-a456-426655440000', '123e4567-e89b-12d3-a456-426655440000'],
  [
    'an EVP in capitals',
    'evp',
    '123E4567-E89B-12D3-A456-426655440000',
    '123e4567-e89b-12d3-a456-426655440000',
  ],
];

const refused: readonly (readonly [string, KeyType, string])[] = [
  ['a CPF with a wrong first check digit', 'cpf', '52998224735'],
  ['a CPF with a wrong second check digit', 'cpf', '52998224726'],
  ['a CPF of one repeated digit', 'cpf', '11111111111'],
  ['a CPF with its punctuation', 'cpf', '529.982.247-25'],
  ['a CPF with letters around it', 'cpf', 'x52998224725'],
  ['a CPF that lost its leading zero', 'cpf', '1144477735'],
  ['a CPF and a line break', 'cpf', '52998224725\n'],
  ['a CPF in Arabic digits', 'cpf', '٥٢٩٩٨٢٢٤٧٢٥'],
  ['a CNPJ with wrong check digits', 'cnpj', '11222333000182'],
  ['a CNPJ of zeros', 'cnpj', '00000000000000'],
  ['an alphanumeric CNPJ with wrong check digits', 'cnpj', '12ABC34501DE36'],
  ['an alphanumeric CNPJ in lower case', 'cnpj', '12abc34501de35'],
  ['an alphanumeric CNPJ with its punctuation', 'cnpj', '12.ABC.345/01DE-35'],
  ['a CNPJ whose check digits are letters', 'cnpj', '12ABC34501DEAB'],
  ['a CPF as a CNPJ', 'cnpj', '52998224725'],
  ['a Brazilian phone without its country', 'phone', elevenDigitsOfEither],
  ['a Brazilian phone without its plus', 'phone', '5511987650034'],
  ['a Brazilian mobile without the ninth digit', 'phone', '+551187650034'],
  ['a Brazilian area code that does not exist', 'phone', '+5510987650034'],
  ['a Brazilian number that is too long', 'phone', '+55119876500345'],
  ['a foreign phone of sixteen digits', 'phone', '+3511234567890123'],
  ['a country that starts with zero', 'phone', '+0511987650034'],
  ['a phone with spaces', 'phone', '+55 11 98765 0034'],
  ['an e-mail without a domain', 'email', 'ana@'],
  ['an e-mail without a dot in its domain', 'email', 'ana@exemplo'],
  ['an e-mail with two at signs', 'email', 'ana@exemplo@com.br'],
  ['an e-mail with a space', 'email', 'ana souza@exemplo.com'],
  ['an e-mail with an accent', 'email', 'joão@exemplo.com'],
  ['an e-mail with the Kelvin sign, which lower case makes a k', 'email', 'jo\u212ae@exemplo.com'],
  ['an e-mail whose domain label starts with a hyphen', 'email', 'ana@-exemplo.com'],
  ['an EVP without hyphens', 'evp', '123e4567e89b12d3a456426655440000'],
  ['an EVP in braces', 'evp', '{123e4567-e89b-12d3-a456-426655440000}'],
  ['an EVP with a letter beyond f', 'evp', '123e4567-e89b-12d3-a456-42665544000g'],
  ...keyTypes.map((keyType) => [`nothing as ${keyType}`, keyType, ''] as const),
];

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(''));
const lowerCase = (minLength: number, maxLength: number) =>
  fc.stringMatching(new RegExp(`^[a-z0-9]{${minLength},${maxLength}}$`));

/** Any key of any type, as the readers above would let it in. */
const anyPixKey: fc.Arbitrary<PixKey> = fc
  .oneof(
    fc.integer({ min: 1, max: 999_999_998 }).map((body) => {
      const base = String(body).padStart(9, '0');
      return { keyType: 'cpf' as const, key: `${base}${checkDigitsOf(base, cpf.isValid)}` };
    }),
    fc.stringMatching(/^[0-9A-Z]{8}0001$/).map((base) => ({
      keyType: 'cnpj' as const,
      key: `${base}${checkDigitsOf(base, cnpj.isValid)}`,
    })),
    digits(8).map((tail) => ({ keyType: 'phone' as const, key: `+55119${tail}` })),
    fc.stringMatching(/^\+[1-4][0-9]{1,14}$/).map((key) => ({ keyType: 'phone' as const, key })),
    fc
      .tuple(lowerCase(1, 30), lowerCase(1, 30), lowerCase(1, 10))
      .map(([local, domain, top]) => ({
        keyType: 'email' as const,
        key: `${local}@${domain}.${top}`,
      })),
    fc.uuid().map((key) => ({ keyType: 'evp' as const, key })),
  )
  .filter(({ keyType, key }) => readPixKey(keyType, key).ok);

function checkDigitsOf(base: string, isValid: (key: string) => boolean): string {
  const all = Array.from({ length: 100 }, (_, at) => String(at).padStart(2, '0'));
  return all.find((pair) => isValid(`${base}${pair}`)) ?? '';
}

const hiddenLetters = (key: string, mask: string): number =>
  [...key].filter((letter, at) => mask[at] !== letter).length;

describe('reading a Pix key', () => {
  it.each(accepted)('takes %s', (_, keyType, text, key) => {
    expect(readPixKey(keyType, text)).toEqual({ ok: true, value: { keyType, key } });
  });

  it.each(refused)('refuses %s', (_, keyType, text) => {
    expect(readPixKey(keyType, text)).toEqual({ ok: false, code: `pix_key_${keyType}_invalid` });
  });

  it('lets the caller alone say whether eleven digits are a CPF or a phone', () => {
    expect(readPixKey('cpf', elevenDigitsOfEither).ok).toBe(true);
    expect(readPixKey('phone', elevenDigitsOfEither).ok).toBe(false);
    expect(readPixKey('phone', `+55${elevenDigitsOfEither}`).ok).toBe(true);
  });

  it('takes an e-mail of 77 characters and none of 78', () => {
    const domain = '@exemplo.com.br';
    const longest = `${'a'.repeat(keyLengthMax - domain.length)}${domain}`;
    expect(readPixKey('email', longest).ok).toBe(true);
    expect(readPixKey('email', `a${longest}`).ok).toBe(false);
  });

  it('judges a hostile e-mail in no time', () => {
    const started = performance.now();
    readPixKey('email', `${'a'.repeat(100_000)}@${'a-'.repeat(100_000)}`);
    readPixKey('email', `a@${'a.'.repeat(37)}!`);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('gives back what it has read: a canonical key is a fixed point', () => {
    fc.assert(
      fc.property(anyPixKey, (pixKey) => {
        const read = readPixKey(pixKey.keyType, pixKey.key);
        expect(read).toEqual({ ok: true, value: pixKey });
      }),
    );
  });
});

describe('masking a Pix key', () => {
  it.each<readonly [KeyType, string, string]>([
    ['cpf', '52998224725', '***982247**'],
    ['cnpj', '12ABC34501DE35', '**ABC34501DE**'],
    ['phone', '+5511987650034', '+55*******0034'],
    ['phone', '+123456', '+******'],
    ['email', 'ana.souza@exemplo.com.br', 'a********@e*************'],
    ['email', 'a@b.co', '*@b***'],
    ['evp', '123e4567-e89b-12d3-a456-426655440000', '123e4567-****-****-****-************'],
  ])('%s %s is shown as %s', (keyType, key, mask) => {
    expect(maskPixKey({ keyType, key })).toBe(mask);
  });

  it('never shows a whole key: as long as the key, and always something hidden', () => {
    fc.assert(
      fc.property(anyPixKey, (pixKey) => {
        const mask = maskPixKey(pixKey);
        expect(mask).toHaveLength(pixKey.key.length);
        expect(hiddenLetters(pixKey.key, mask)).toBeGreaterThanOrEqual(
          pixKey.key.length > 4 ? 3 : 2,
        );
      }),
      { numRuns: 500 },
    );
  });
});
