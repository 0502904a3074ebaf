// The keys of a development system, made once per run directory. In production each comes from its
// owner's vault.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

export type KeyFiles = {
  readonly authSigning: string;
  readonly authJwks: string;
  readonly payeePrivateJwks: string;
  readonly payeeJwks: string;
  readonly payeeFingerprint: string;
  readonly providerApi: string;
  readonly providerWebhook: string;
};

const secretBytes = 32;
const onlyOurs = 0o600;

export function keyFiles(directory: string): KeyFiles {
  return {
    authSigning: join(directory, 'auth-signing.jwk.json'),
    authJwks: join(directory, 'auth-jwks.json'),
    payeePrivateJwks: join(directory, 'payee-private-jwks.json'),
    payeeJwks: join(directory, 'payee-jwks.json'),
    payeeFingerprint: join(directory, 'payee-fingerprint.key'),
    providerApi: join(directory, 'provider-api.key'),
    providerWebhook: join(directory, 'provider-webhook.secret'),
  };
}

export async function ensureKeys(directory: string): Promise<KeyFiles> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const files = keyFiles(directory);
  if (!existsSync(files.authJwks)) await makeSigningKey(files);
  if (!existsSync(files.payeeJwks)) await makePayeeKey(files);
  for (const file of [files.payeeFingerprint, files.providerApi, files.providerWebhook]) {
    if (!existsSync(file))
      writeFileSync(file, randomBytes(secretBytes).toString('base64url'), { mode: onlyOurs });
  }
  return files;
}

// The public half is written last: when it is there, both are.
async function makeSigningKey(files: KeyFiles): Promise<void> {
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const named = await withId(await exportJWK(pair.privateKey), { alg: 'EdDSA', use: 'sig' });
  writeJson(files.authSigning, named);
  writeJson(files.authJwks, { keys: [publicHalf(named)] });
}

async function makePayeeKey(files: KeyFiles): Promise<void> {
  const pair = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const named = await withId(await exportJWK(pair.privateKey), { alg: 'ECDH-ES', use: 'enc' });
  writeJson(files.payeePrivateJwks, { keys: [named] });
  writeJson(files.payeeJwks, { keys: [publicHalf(named)] });
}

async function withId(key: JWK, purpose: { alg: string; use: string }): Promise<JWK> {
  return { ...key, ...purpose, kid: await calculateJwkThumbprint(key) };
}

function publicHalf({ d: _private, ...rest }: JWK): JWK {
  return rest;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`, { mode: onlyOurs });
}
