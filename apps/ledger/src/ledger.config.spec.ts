import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, parseConfig } from '@compasso/runtime/config';
import { exportJWK, generateKeyPair } from 'jose';
import { ledgerSchema, policyOf, teamsOf } from './ledger.config.ts';

const directory = mkdtempSync(join(tmpdir(), 'ledger-config-'));
const at = (name: string) => join(directory, name);
beforeAll(async () => {
  const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256' });
  writeFileSync(at('payee.json'), JSON.stringify({ keys: [await exportJWK(publicKey)] }));
  writeFileSync(at('fingerprint.key'), `${Buffer.alloc(32, 7).toString('base64url')}\n`);
  writeFileSync(at('short.key'), 'abc');
});
afterAll(() => rmSync(directory, { recursive: true }));

const account = '0193a000-0000-7000-8000-00000000000a';
const environment = (changes: Record<string, string | undefined> = {}) => ({
  HTTP_PORT: '8080',
  MANAGEMENT_PORT: '8081',
  DATABASE_URL: 'postgres://ledger:secret@localhost/ledger',
  KAFKA_BROKERS: 'localhost:9092',
  AUTH_JWKS_FILE: 'auth-jwks.json',
  REQUEST_TEAMS: 'acme,shop',
  PAYEE_JWKS_FILE: at('payee.json'),
  PAYEE_FINGERPRINT_KEY_FILE: at('fingerprint.key'),
  LEDGER_TEAM_ACCOUNTS: JSON.stringify({ acme: ['*'], shop: [account] }),
  ...changes,
});

it('has a policy when only what it cannot guess is given', () => {
  const config = parseConfig(ledgerSchema, environment());
  expect(policyOf(config)).toEqual({
    night: { from: 20 * 60, until: 6 * 60 },
    policy: { fee: 0n, sendWithinMs: 900_000 },
    raiseLimitsAfterMs: 86_400_000,
  });
});

it('lets a team debit what it was given', () => {
  const [acme, shop] = teamsOf(parseConfig(ledgerSchema, environment()));
  expect(acme?.mayDebit(account)).toBe(true);
  expect(shop?.mayDebit(account)).toBe(true);
  expect(shop?.mayDebit('0193a000-0000-7000-8000-00000000000b')).toBe(false);
});

it.each([
  ['PAYEE_JWKS_FILE', at('missing.json')],
  ['PAYEE_FINGERPRINT_KEY_FILE', at('short.key')],
  ['LEDGER_TEAM_ACCOUNTS', '{"acme":["*"]}'],
  ['LEDGER_TEAM_ACCOUNTS', '{"acme":["everything"],"shop":[]}'],
  ['LEDGER_NIGHT_FROM', '25:00'],
  ['LEDGER_FEE_CENTS', '-1'],
  ['LEDGER_FEE_CENTS', '0.5'],
  ['LEDGER_SEND_WITHIN_MS', '0'],
  ['LEDGER_RAISE_LIMITS_AFTER_MS', '-1'],
])('does not start with a wrong %s: %s', (variable, value) => {
  const problems = (() => {
    try {
      parseConfig(ledgerSchema, environment({ [variable]: value }));
      return [];
    } catch (error) {
      return (error as ConfigurationError).problems;
    }
  })();
  expect(problems.map((problem) => problem.variable)).toEqual([variable]);
});
