import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  compactDecrypt,
  CompactEncrypt,
  createLocalJWKSet,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
} from 'jose';
import { everyScope, mintToken } from './mint-token.ts';
import { ensureKeys, type KeyFiles } from './system/keys.ts';

async function setup() {
  const directory = join(mkdtempSync(join(tmpdir(), 'compasso-keys-')), 'keys');
  const files = await ensureKeys(directory);
  return { directory, files, remove: () => rmSync(directory, { recursive: true }) };
}

function jwks(files: KeyFiles, name: 'authJwks' | 'payeeJwks' | 'payeePrivateJwks'): JSONWebKeySet {
  return JSON.parse(readFileSync(files[name], 'utf8')) as JSONWebKeySet;
}

const expected = { issuer: 'https://compasso.local', audience: 'compasso' };

describe('a development token', () => {
  it('is good for every scope and account unless less is asked for', async () => {
    const { directory, files, remove } = await setup();
    const { payload } = await jwtVerify(
      await mintToken(directory),
      createLocalJWKSet(jwks(files, 'authJwks')),
      expected,
    );
    expect(payload).toMatchObject({ sub: 'developer', scope: everyScope, accounts: ['*'] });
    remove();
  });

  it('says what it was asked to say', async () => {
    const { directory, files, remove } = await setup();
    const token = await mintToken(directory, {
      scope: 'transfers:read',
      accounts: ['a', 'b'],
      subject: 'ana',
      expires: '5m',
    });
    const { payload } = await jwtVerify(
      token,
      createLocalJWKSet(jwks(files, 'authJwks')),
      expected,
    );
    expect(payload).toMatchObject({ sub: 'ana', scope: 'transfers:read', accounts: ['a', 'b'] });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(300);
    remove();
  });

  it('can be one that has expired', async () => {
    const { directory, files, remove } = await setup();
    const token = await mintToken(directory, { expires: '-1h' });
    await expect(
      jwtVerify(token, createLocalJWKSet(jwks(files, 'authJwks')), expected),
    ).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
    remove();
  });

  it('is refused with a sentence when its duration makes no sense', async () => {
    const { directory, remove } = await setup();
    await expect(mintToken(directory, { expires: 'soon' })).rejects.toMatchObject({
      code: 'duration_unreadable',
    });
    remove();
  });
});

describe('the keys of a run directory', () => {
  it('stay the same, and only their owner may read them', async () => {
    const { directory, files, remove } = await setup();
    const before = Object.values(files).map((file) => readFileSync(file, 'utf8'));
    await ensureKeys(directory);
    expect(Object.values(files).map((file) => readFileSync(file, 'utf8'))).toEqual(before);
    for (const file of Object.values(files)) expect(statSync(file).mode & 0o077).toBe(0);
    expect(statSync(directory).mode & 0o077).toBe(0);
    remove();
  });

  it('never publish a private half', async () => {
    const { files, remove } = await setup();
    for (const name of ['authJwks', 'payeeJwks'] as const) {
      for (const key of jwks(files, name).keys) expect(key).not.toHaveProperty('d');
    }
    remove();
  });

  it('seal a payee for the gateway alone', async () => {
    const { files, remove } = await setup();
    const publicKey = await importJWK(jwks(files, 'payeeJwks').keys[0] as JWK);
    const sealed = await new CompactEncrypt(Buffer.from('a key'))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
      .encrypt(publicKey);
    const opened = await compactDecrypt(
      sealed,
      await importJWK(jwks(files, 'payeePrivateJwks').keys[0] as JWK),
    );
    expect(Buffer.from(opened.plaintext).toString()).toBe('a key');
    remove();
  });
});
