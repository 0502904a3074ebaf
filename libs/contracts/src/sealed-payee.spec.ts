import { CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { maskPayee, payeeOpener, type SealedPayee, sealPayee } from './sealed-payee.ts';
import type { PixKey } from './pix-key.ts';

const ana: PixKey = { keyType: 'cpf', key: '52998224725' };
const bruno: PixKey = { keyType: 'cpf', key: '11144477735' };

interface KeyPair {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

async function keyPair(kid: string): Promise<KeyPair> {
  const pair = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  return {
    publicKey: { ...(await exportJWK(pair.publicKey)), kid },
    privateKey: { ...(await exportJWK(pair.privateKey)), kid },
  };
}

async function setup() {
  const [older, newer] = [await keyPair('2026-a'), await keyPair('2026-b')];
  return { older, newer, sealedToOlder: await sealPayee(ana, { keys: [older.publicKey] }) };
}

/** What somebody without our `sealPayee` could put under the gateway's public key. */
async function sealedBytes(text: string, { publicKey }: KeyPair): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: publicKey.kid! })
    .encrypt(await importJWK(publicKey, 'ECDH-ES'));
}

describe('sealing a payee', () => {
  it('shows the mask and says under which key, and never the same bytes twice', async () => {
    const { older, sealedToOlder } = await setup();
    const again = await sealPayee(ana, { keys: [older.publicKey] });

    expect(sealedToOlder).toMatchObject({ kind: 'key', keyType: 'cpf', keyMasked: '***982247**' });
    expect(JSON.stringify(sealedToOlder)).not.toContain(ana.key);
    expect(
      JSON.parse(Buffer.from(sealedToOlder.sealed.split('.')[0]!, 'base64url').toString()),
    ).toMatchObject({
      alg: 'ECDH-ES',
      enc: 'A256GCM',
      kid: '2026-a',
    });
    expect(again.sealed).not.toBe(sealedToOlder.sealed);
  });

  it('refuses an empty key set', async () => {
    await expect(sealPayee(ana, { keys: [] })).rejects.toMatchObject({
      code: 'payee_key_set_empty',
    });
  });
});

describe('opening a payee', () => {
  it('gives the key back', async () => {
    const { older, sealedToOlder } = await setup();
    const open = payeeOpener({ keys: [older.privateKey] });

    expect(open(sealedToOlder)).toEqual({ ok: true, key: ana });
  });

  it('goes on during a rotation, whichever key the sender knew', async () => {
    const { older, newer, sealedToOlder } = await setup();
    const sealedToNewer = await sealPayee(bruno, { keys: [newer.publicKey, older.publicKey] });
    const open = payeeOpener({ keys: [newer.privateKey, older.privateKey] });

    expect(open(sealedToOlder)).toEqual({ ok: true, key: ana });
    expect(open(sealedToNewer)).toEqual({ ok: true, key: bruno });
  });

  it('cannot read what was sealed to a key that is not here yet', async () => {
    const { older, newer } = await setup();
    const sealedToNewer = await sealPayee(bruno, { keys: [newer.publicKey] });

    for (const keys of [[older.privateKey], []]) {
      const open = payeeOpener({ keys });
      expect(open(sealedToNewer)).toEqual({ ok: false, code: 'payee_unreadable' });
    }
  });

  it.each([
    ['nothing', ''],
    ['words', 'not-a-jwe'],
    ['five empty parts', '....'],
    ['five parts of garbage', 'e30.AA.AA.AA.AA'],
    ['a signed token', `${btoa('{"alg":"HS256"}')}.e30.AA`],
  ])('cannot read %s', async (_, sealed) => {
    const { older, sealedToOlder } = await setup();
    const open = payeeOpener({ keys: [older.privateKey] });

    expect(open({ ...sealedToOlder, sealed })).toEqual({
      ok: false,
      code: 'payee_unreadable',
    });
  });

  it('cannot read what was changed on the way', async () => {
    const { older, sealedToOlder } = await setup();
    const open = payeeOpener({ keys: [older.privateKey] });
    const [header, key, iv, text, tag] = sealedToOlder.sealed.split('.') as [
      string,
      string,
      string,
      string,
      string,
    ];
    const turned = `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`;

    expect(
      open({ ...sealedToOlder, sealed: [header, key, iv, turned, tag].join('.') }),
    ).toEqual({
      ok: false,
      code: 'payee_unreadable',
    });
  });

  it.each<readonly [string, (payee: SealedPayee) => SealedPayee]>([
    ["somebody else's mask", (payee) => ({ ...payee, ...maskPayee(bruno) })],
    ['another type', (payee) => ({ ...payee, keyType: 'cnpj' })],
    ['a mask of our own making', (payee) => ({ ...payee, keyMasked: '***********' })],
  ])('refuses %s: nobody approves one and pays another', async (_, changed) => {
    const { older, sealedToOlder } = await setup();
    const open = payeeOpener({ keys: [older.privateKey] });

    expect(open(changed(sealedToOlder))).toEqual({ ok: false, code: 'payee_mismatch' });
  });

  it.each([
    ['no JSON', 'x'],
    ['null', 'null'],
    ['a number', '5'],
    ['another shape', '{"keyType":"cpf"}'],
    ['a type that does not exist', '{"keyType":"constructor","key":"52998224725"}'],
    ['a key with wrong check digits', '{"keyType":"cpf","key":"52998224700"}'],
    ['a key with its punctuation', '{"keyType":"cpf","key":"529.982.247-25"}'],
    ['a number for a key', '{"keyType":"cpf","key":52998224725}'],
  ])('refuses well sealed content that is %s', async (_, content) => {
    const { older, sealedToOlder } = await setup();
    const open = payeeOpener({ keys: [older.privateKey] });
    const sealed = await sealedBytes(content, older);

    expect(open({ ...sealedToOlder, sealed })).toEqual({ ok: false, code: 'payee_mismatch' });
  });
});
