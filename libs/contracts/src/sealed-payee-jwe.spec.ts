// What is sealed here against `jose`, both ways, and every header that must not be opened: each of them authenticates well, so
// that nothing but the judgement of the header refuses it.
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { PixKey } from './pix-key.ts';
import { type ContentKey, newContentKey, publicKeyOf, sealWith } from './sealed-payee-jwe.ts';
import { maskPayee, payeeOpener, sealerLimits, sealerTo, sealPayee } from './sealed-payee.ts';

const ana: PixKey = { keyType: 'cpf', key: '52998224725' };
const plaintext = JSON.stringify(ana);
const opened = { ok: true, key: ana };
const unreadable = { ok: false, code: 'payee_unreadable' };

async function keyPair(kid = 'one', crv = 'P-256') {
  const pair = await generateKeyPair('ECDH-ES', { crv, extractable: true });
  const jwk = async (key: typeof pair.publicKey): Promise<JWK> => ({ ...(await exportJWK(key)), kid });
  return { publicKey: await jwk(pair.publicKey), privateKey: await jwk(pair.privateKey) };
}

async function setup() {
  const { publicKey, privateKey } = await keyPair();
  const open = payeeOpener({ keys: [privateKey] });
  return {
    publicKey,
    privateKey,
    opens: (sealed: string) => open({ ...maskPayee(ana), sealed }),
    sealer: (options = {}) => sealerTo({ keys: [publicKey] }, options),
    joseOpens: async (sealed: string) => {
      const { plaintext: read } = await compactDecrypt(sealed, await importJWK(privateKey, 'ECDH-ES'));
      return new TextDecoder().decode(read);
    },
  };
}

type Header = Readonly<Record<string, unknown>> & { readonly epk: Readonly<Record<string, unknown>> };

const headerOf = (sealed: string): Header =>
  JSON.parse(Buffer.from(sealed.split('.')[0]!, 'base64url').toString()) as Header;

const written = (header: unknown): string => Buffer.from(JSON.stringify(header)).toString('base64url');

/** Sealed by the same key under another header, which the tag covers. */
function sealedUnder(publicKey: JWK, change: (header: Header) => unknown): string {
  const key: ContentKey = newContentKey(publicKeyOf(publicKey), publicKey.kid);
  return sealWith({ ...key, protectedHeader: written(change(headerOf(key.protectedHeader))) }, plaintext);
}

describe('sealing many', () => {
  it('every seal is opened by jose, and by us', async () => {
    const { sealer, joseOpens, opens } = await setup();
    const seal = sealer();
    const seals = Array.from({ length: 20 }, () => seal(ana).sealed);
    expect(await Promise.all(seals.map(joseOpens))).toEqual(seals.map(() => plaintext));
    expect(seals.map(opens)).toEqual(seals.map(() => opened));
  });

  it('uses one ephemeral key and never one IV twice', async () => {
    const seal = (await setup()).sealer();
    const parts = Array.from({ length: 500 }, () => seal(ana).sealed.split('.'));
    expect(new Set(parts.map(([header]) => header)).size).toBe(1);
    expect(new Set(parts.map(([, , iv]) => iv)).size).toBe(500);
  });

  it('agrees on a new key after an hour', async () => {
    const { sealer, joseOpens } = await setup();
    let now = 0;
    const seal = sealer({ monotonic: () => now });
    const epk = () => JSON.stringify(headerOf(seal(ana).sealed).epk);
    const first = epk();
    now = sealerLimits.lastsMsMax - 1;
    expect(epk()).toBe(first);
    now += 1;
    expect(epk()).not.toBe(first);
    expect(await joseOpens(seal(ana).sealed)).toBe(plaintext);
  });

  it('agrees on a new key after so many seals', async () => {
    const seal = (await setup()).sealer({ sealsMax: 3 });
    const keys = Array.from({ length: 7 }, () => headerOf(seal(ana).sealed).epk['x']);
    expect(keys.map((key) => [...new Set(keys)].indexOf(key))).toEqual([0, 0, 0, 1, 1, 1, 2]);
    expect(sealerLimits.sealsMax).toBe(2 ** 20);
  });

  it('agrees on a key of its own for each single seal', async () => {
    const { publicKey, joseOpens } = await setup();
    const [one, two] = [await sealPayee(ana, { keys: [publicKey] }), await sealPayee(ana, { keys: [publicKey] })];
    expect(headerOf(one.sealed).epk).not.toEqual(headerOf(two.sealed).epk);
    expect(await joseOpens(two.sealed)).toBe(plaintext);
  });

  it.each([
    ['another curve', async () => (await keyPair('one', 'P-384')).publicKey],
    ['no point of the curve', async () => ({ ...(await keyPair()).publicKey, y: 'A'.repeat(43) })],
    ['another kind of key', async () => ({ kty: 'oct', k: 'AAAA' })],
  ])('refuses %s', async (_, key) => {
    const jwk = await key();
    expect(() => sealerTo({ keys: [jwk] })).toThrow(expect.objectContaining({ code: 'payee_key_unusable' }));
  });
});

describe('opening what jose sealed', () => {
  const sealing = async (jwk: JWK, header: object = {}) => ({
    jwe: new CompactEncrypt(new TextEncoder().encode(plaintext)).setProtectedHeader({
      alg: 'ECDH-ES',
      enc: 'A256GCM',
      kid: 'one',
      ...header,
    }),
    key: await importJWK(jwk, 'ECDH-ES'),
  });

  it('opens it, again and again', async () => {
    const { publicKey, opens } = await setup();
    const { jwe, key } = await sealing(publicKey);
    const sealed = await jwe.encrypt(key);
    expect([opens(sealed), opens(sealed)]).toEqual([opened, opened]);
  });

  it('opens it without a kid, and with the names of both parties', async () => {
    const { publicKey, opens } = await setup();
    const nameless = await sealing(publicKey, { kid: undefined });
    expect(opens(await nameless.jwe.encrypt(nameless.key))).toEqual(opened);
    const named = await sealing(publicKey);
    named.jwe.setKeyManagementParameters({ apu: Buffer.from('Alice'), apv: Buffer.from('Bob') });
    expect(opens(await named.jwe.encrypt(named.key))).toEqual(opened);
  });

  it.each([
    ['another content encryption', { enc: 'A128GCM' }],
    ['CBC', { enc: 'A256CBC-HS512' }],
    ['a wrapped key', { alg: 'ECDH-ES+A256KW' }],
    ['compression', { zip: 'DEF' }],
  ])('refuses %s', async (_, header) => {
    const { publicKey, opens } = await setup();
    const { jwe, key } = await sealing(publicKey, header);
    expect(opens(await jwe.encrypt(key))).toEqual(unreadable);
  });

  it('refuses an extension that must be understood', async () => {
    const { publicKey, opens } = await setup();
    const { jwe, key } = await sealing(publicKey, { crit: ['urn:x'], 'urn:x': true });
    expect(opens(await jwe.encrypt(key, { crit: { 'urn:x': true } }))).toEqual(unreadable);
  });
});

describe('judging a header', () => {
  const otherX = 'A'.repeat(43);

  it.each<readonly [string, (header: Header) => unknown]>([
    ['no object', () => ['ECDH-ES']],
    ['no alg', ({ alg: _alg, ...rest }) => rest],
    ['another alg', (header) => ({ ...header, alg: 'dir' })],
    ['an alg that is no text', (header) => ({ ...header, alg: ['ECDH-ES'] })],
    ['no enc', ({ enc: _enc, ...rest }) => rest],
    ['another enc', (header) => ({ ...header, enc: 'A192GCM' })],
    ['an empty crit', (header) => ({ ...header, crit: [] })],
    ['a crit of what is known', (header) => ({ ...header, crit: ['alg'] })],
    ['a crit that is null', (header) => ({ ...header, crit: null })],
    ['zip', (header) => ({ ...header, zip: 'DEF' })],
    ['a kid that is no text', (header) => ({ ...header, kid: 1 })],
    ['a kid that is not ours', (header) => ({ ...header, kid: 'two' })],
    ['no epk', ({ epk: _epk, ...rest }) => rest],
    ['an epk that is a list', (header) => ({ ...header, epk: [header.epk] })],
    ['an epk of another kind', (header) => ({ ...header, epk: { ...header.epk, kty: 'OKP' } })],
    ['an epk of another curve', (header) => ({ ...header, epk: { ...header.epk, crv: 'P-384' } })],
    ['an epk with a private part', (header) => ({ ...header, epk: { ...header.epk, d: otherX } })],
    ['an epk with uses', (header) => ({ ...header, epk: { ...header.epk, key_ops: ['sign'] } })],
    ['an epk without y', ({ epk: { y: _y, ...epk }, ...rest }) => ({ ...rest, epk })],
    ['an epk that is no point', (header) => ({ ...header, epk: { ...header.epk, x: otherX } })],
    ['an epk at zero', (header) => ({ ...header, epk: { ...header.epk, x: otherX, y: otherX } })],
    ['an epk that is too long', (header) => ({ ...header, epk: { ...header.epk, x: `${otherX}AAAA` } })],
    ['an epk with padding', (header) => ({ ...header, epk: { ...header.epk, x: `${String(header.epk['x'])}=` } })],
    ['a party that is no text', (header) => ({ ...header, apu: 1 })],
    ['parties of one name', (header) => ({ ...header, apu: 'QQ', apv: 'QQ' })],
    ['a party in the header that took no part', (header) => ({ ...header, apu: 'QQ' })],
  ])('refuses %s', async (_, change) => {
    const { publicKey, opens } = await setup();
    expect(opens(sealedUnder(publicKey, (header) => header))).toEqual(opened);
    expect(opens(sealedUnder(publicKey, change))).toEqual(unreadable);
  });
});

describe('a content key that is remembered', () => {
  const changed = (sealed: string, at: number, by: (part: string) => string): string =>
    sealed
      .split('.')
      .map((part, index) => (index === at ? by(part) : part))
      .join('.');
  const turned = (part: string): string => `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`;

  it.each([
    ['another IV', 2, turned],
    ['another text', 3, turned],
    ['another tag', 4, turned],
    ['a short tag', 4, (part: string) => part.slice(0, 16)],
    ['no IV', 2, () => ''],
    ['an encrypted key', 1, () => 'AAAA'],
    ['padding', 3, (part: string) => `${part}=`],
    ['a stray character', 3, (part: string) => `${part}!`],
    ['another header', 0, (part: string) => written({ ...headerOf(`${part}.`), kid: undefined })],
  ])('opens nothing with %s', async (_, at, by) => {
    const { sealer, opens } = await setup();
    const { sealed } = sealer()(ana);
    expect(opens(sealed)).toEqual(opened);
    expect(opens(changed(sealed, at, by))).toEqual(unreadable);
    expect(opens(sealed)).toEqual(opened);
  });

  it('is forgotten once a thousand others came, and found again', async () => {
    const { publicKey, sealer, opens } = await setup();
    const { sealed } = sealer()(ana);
    expect(opens(sealed)).toEqual(opened);
    const seal = sealerTo({ keys: [publicKey] }, { sealsMax: 1 });
    for (let at = 0; at < 1_001; at += 1) opens(seal(ana).sealed);
    expect(opens(sealed)).toEqual(opened);
  });

  it('belongs to its private key: the same header opens nothing elsewhere', async () => {
    const { sealer } = await setup();
    const stranger = await keyPair();
    const openElsewhere = payeeOpener({ keys: [stranger.privateKey] });
    expect(openElsewhere(sealer()(ana))).toEqual(unreadable);
  });
});
