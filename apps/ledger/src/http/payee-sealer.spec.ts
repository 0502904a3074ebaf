import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { payeeOpener } from '@compasso/contracts';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { holdsPublicKeys, payeeSealer } from './payee-sealer.ts';

const directory = mkdtempSync(join(tmpdir(), 'payee-sealer-'));
afterAll(() => rmSync(directory, { recursive: true }));

const pair = async (kid: string) => {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', {
    crv: 'P-256',
    extractable: true,
  });
  return {
    published: { ...(await exportJWK(publicKey)), kid } as JWK,
    kept: { ...(await exportJWK(privateKey)), kid } as JWK,
  };
};
const file = (name: string, content: unknown) => {
  const path = join(directory, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const key = { keyType: 'email', key: 'ana@example.com' } as const;

it('seals what only the gateway can open', async () => {
  const { published, kept } = await pair('one');
  const sealed = await payeeSealer(file('one.json', { keys: [published] })).seal(key);
  expect(JSON.stringify(sealed)).not.toContain('ana@example');
  const open = payeeOpener({ keys: [kept] });
  expect(open(sealed)).toEqual({ ok: true, key });
});

it('takes up keys that the gateway has rotated to, and keeps the old ones through a broken file', async () => {
  const [one, two] = [await pair('one'), await pair('two')];
  const path = file('rotated.json', { keys: [one.published] });
  let now = 0;
  const sealer = payeeSealer(path, () => now);
  const open = payeeOpener({ keys: [one.kept, two.kept] });
  const kidOf = async () => {
    const sealed = await sealer.seal(key);
    expect(open(sealed)).toEqual({ ok: true, key });
    const header = Buffer.from(sealed.sealed.split('.')[0]!, 'base64url').toString();
    return (JSON.parse(header) as { kid: string }).kid;
  };
  const written = (content: unknown, at: number) => {
    file('rotated.json', content);
    utimesSync(path, at, at);
    now += 2_000;
  };
  expect(await kidOf()).toBe('one');
  written('half a fi', 1_000);
  expect(await kidOf()).toBe('one');
  written({ keys: [two.published] }, 2_000);
  expect(await kidOf()).toBe('two');
});

it('refuses files without public keys, and above all private ones', async () => {
  const { published, kept } = await pair('one');
  expect(holdsPublicKeys(file('public.json', { keys: [published] }))).toBe(true);
  expect(holdsPublicKeys(file('private.json', { keys: [kept] }))).toBe(false);
  expect(holdsPublicKeys(file('empty.json', { keys: [] }))).toBe(false);
  expect(holdsPublicKeys(file('garbage.json', 'garbage'))).toBe(false);
  expect(holdsPublicKeys(join(directory, 'missing.json'))).toBe(false);
});
