import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigurationError, parseConfig } from '@compasso/runtime/config';
import { exportJWK, generateKeyPair } from 'jose';
import { gatewaySchema, secretsIn } from './payout-gateway.config.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-config-'));
const file = (name: string, content: string): string => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};
let payeeKeysFile: string;
beforeAll(async () => {
  const { privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'first' };
  payeeKeysFile = file('payee.json', JSON.stringify({ keys: [key] }));
});
afterAll(() => rmSync(directory, { recursive: true }));

const [old, next] = ['the-old-secret-of-1', 'the-next-secret-of-1'];
const environment = (webhookSecrets: string) => ({
  HTTP_PORT: '8080',
  MANAGEMENT_PORT: '8081',
  DATABASE_URL: 'postgres://gateway:secret@localhost/gateway',
  KAFKA_BROKERS: 'localhost:9092',
  AUTH_JWKS_FILE: 'auth-jwks.json',
  PROVIDER_URL: 'http://provider.example',
  PROVIDER_API_KEY_FILE: file('api.key', 'an-api-key-of-some-length'),
  PROVIDER_WEBHOOK_SECRET_FILE: file('webhook.secret', webhookSecrets),
  PAYEE_PRIVATE_JWKS_FILE: payeeKeysFile,
});

it.each([
  ['one', `${old}\n`, [old]],
  ['two, while one is changed for the other', `${old}\n${next}\n`, [old, next]],
])('takes %s', (_what, content, secrets) => {
  const config = parseConfig(gatewaySchema, environment(content));
  expect(secretsIn(config.providerWebhookSecretFile.reveal())).toEqual(secrets);
});

it.each([
  ['none', ''],
  ['a short one behind a long one', `${old}\nshort`],
  ['a third', `${old}\n${next}\nyet-another-secret-of-1`],
])('does not start with %s', (_what, content) => {
  let problems: ConfigurationError['problems'] = [];
  try {
    parseConfig(gatewaySchema, environment(content));
  } catch (error) {
    ({ problems } = error as ConfigurationError);
  }
  expect(problems.map(({ variable }) => variable)).toEqual(['PROVIDER_WEBHOOK_SECRET_FILE']);
});
