import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type HttpFixture, startOrders } from '../http/http-app.fixture.ts';
import { createTokenVerifier } from './token-verifier.ts';

const issuer = 'https://compasso.local';
const audience = 'compasso';
const account = '0190f5fe-7c00-7a00-8000-00000000000a';

interface Issuer {
  readonly jwk: object;
  token(
    claims?: JWTPayload,
    options?: { expiresAt?: number | string; issuer?: string; audience?: string },
  ): Promise<string>;
}

async function newIssuer(algorithm: 'EdDSA' | 'ES256', kid: string): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm);
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return {
    jwk,
    token: (claims = {}, options = {}) =>
      new SignJWT({ sub: 'shop', scope: 'orders:read', accounts: [account], ...claims })
        .setProtectedHeader({ alg: algorithm, kid })
        .setIssuer(options.issuer ?? issuer)
        .setAudience(options.audience ?? audience)
        .setExpirationTime(options.expiresAt ?? '1h')
        .sign(privateKey),
  };
}

const directory = mkdtempSync(join(tmpdir(), 'compasso-keys-'));
const file = join(directory, 'jwks.json');

/** As deployments replace a file: at once, never half of it. */
function publish(...keys: readonly object[]): void {
  writeFileSync(`${file}.new`, JSON.stringify({ keys }));
  renameSync(`${file}.new`, file);
}

let first: Issuer;
let service: HttpFixture;

beforeAll(async () => {
  first = await newIssuer('EdDSA', 'first');
  publish(first.jwk);
  service = await startOrders(
    createTokenVerifier({ authJwksFile: file, authIssuer: issuer, authAudience: audience }),
  );
});
afterAll(async () => {
  await service.close();
  rmSync(directory, { recursive: true });
});

async function call(path: string, authorization?: string) {
  const response = await fetch(`${service.url}${path}`, {
    headers: authorization === undefined ? {} : { authorization },
  });
  const body = (await response.json()) as Record<string, unknown>;
  return {
    status: response.status,
    code: body['code'],
    body,
    challenge: response.headers.get('www-authenticate'),
  };
}

const withToken = async (token: string | Promise<string>, path = `/v1/mine/${account}`) =>
  call(path, `Bearer ${await token}`);

describe('a good token', () => {
  it('opens what its scope and accounts allow', async () => {
    const answer = await withToken(first.token({ roles: ['operator'] }));
    expect(answer).toMatchObject({ status: 200, body: { subject: 'shop', roles: ['operator'] } });
  });
  it('opens every account with a star', async () => {
    expect(await withToken(first.token({ accounts: ['*'] }), '/v1/mine/any')).toMatchObject({
      status: 200,
    });
  });
  it('is enough where no scope is asked for, and is asked for there too', async () => {
    expect(await withToken(first.token({ scope: '' }), '/v1/anyone')).toMatchObject({
      status: 200,
    });
    expect(await call('/v1/anyone')).toMatchObject({ status: 401, code: 'token_missing' });
  });
  it('may be a little late: clocks differ', async () => {
    const now = Math.floor(Date.now() / 1_000);
    expect(await withToken(first.token({}, { expiresAt: now - 2 }))).toMatchObject({ status: 200 });
  });
});

describe('401', () => {
  it('token_missing', async () => {
    const answer = await call(`/v1/mine/${account}`);
    expect(answer).toMatchObject({
      status: 401,
      code: 'token_missing',
      challenge: 'Bearer realm="compasso"',
    });
  });
  it('token_expired', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const answer = await withToken(first.token({}, { expiresAt: now - 10 }));
    expect(answer).toMatchObject({ status: 401, code: 'token_expired' });
    expect(answer.challenge).toContain('error="invalid_token"');
  });
});

describe('401 token_invalid', () => {
  it.each([
    ['of another issuer', () => first.token({}, { issuer: 'https://elsewhere' })],
    ['for another audience', () => first.token({}, { audience: 'elsewhere' })],
    [
      'signed by a stranger under our key id',
      async () => (await newIssuer('EdDSA', 'first')).token(),
    ],
    [
      'signed by a key that we do not know',
      async () => (await newIssuer('ES256', 'unknown')).token(),
    ],
    ['without a subject', () => first.token({ sub: '' })],
    [
      'with accounts that are no list',
      () => first.token({ accounts: account as unknown as string[] }),
    ],
    [
      'unsigned',
      () => `${encode({ alg: 'none' })}.${encode({ sub: 'shop', exp: 9_999_999_999 })}.`,
    ],
    [
      'signed with a shared secret',
      () =>
        new SignJWT({ sub: 'shop', scope: 'orders:read' })
          .setProtectedHeader({ alg: 'HS256', kid: 'first' })
          .setIssuer(issuer)
          .setAudience(audience)
          .setExpirationTime('1h')
          .sign(new TextEncoder().encode('a shared secret of more than 32 bytes')),
    ],
    ['garbage', () => 'garbage'],
    ['empty', () => '..'],
  ])('%s', async (_name, token) => {
    expect(await withToken(token())).toMatchObject({ status: 401, code: 'token_invalid' });
  });
  it('a changed payload', async () => {
    const [head, , signature] = (await first.token()).split('.');
    const payload = encode({ sub: 'admin', exp: 9_999_999_999, iss: issuer, aud: audience });
    const forged = `${head}.${payload}.${signature}`;
    expect(await withToken(forged)).toMatchObject({ status: 401, code: 'token_invalid' });
  });
  it('another scheme', async () => {
    expect(await call('/v1/anyone', 'Basic c2hvcDpzaG9w')).toMatchObject({
      status: 401,
      code: 'token_invalid',
    });
  });
});

describe('403', () => {
  it('scope_missing', async () => {
    const answer = await withToken(first.token({ scope: 'orders:write' }));
    expect(answer).toMatchObject({
      status: 403,
      code: 'scope_missing',
      body: { scope: 'orders:read' },
    });
    expect(answer.challenge).toContain('insufficient_scope');
  });
  it('account_not_allowed', async () => {
    const answer = await withToken(first.token({ accounts: [] }));
    expect(answer).toMatchObject({ status: 403, code: 'account_not_allowed' });
  });
});

it('logs a refusal once, with the caller and without the token', async () => {
  service.log.lines.length = 0;
  const token = await first.token({ scope: '' });
  await withToken(token);
  expect(service.log.lines).toEqual([
    expect.objectContaining({ code: 'scope_missing', caller: 'shop' }),
  ]);
  expect(JSON.stringify(service.log.lines)).not.toContain(token);
});

it('reads the keys again when the file changes: a new key is good at once', async () => {
  const second = await newIssuer('ES256', 'second');
  publish(first.jwk, second.jwk);
  expect(await withToken(second.token())).toMatchObject({ status: 200 });
});

it('stops trusting a withdrawn key, also for tokens that it has seen', async () => {
  const third = await newIssuer('EdDSA', 'third');
  publish(first.jwk, third.jwk);
  const token = await third.token();
  expect(await withToken(token)).toMatchObject({ status: 200 });
  publish(first.jwk);
  // A key that nobody knows makes the verifier look at the file now, and not within a second.
  await withToken((await newIssuer('EdDSA', 'fourth')).token());
  expect(await withToken(token)).toMatchObject({ status: 401, code: 'token_invalid' });
});

it('keeps its keys while the file is broken', async () => {
  writeFileSync(file, '{"keys":');
  await withToken((await newIssuer('EdDSA', 'fifth')).token());
  expect(await withToken(first.token({ jti: 'fresh' }))).toMatchObject({ status: 200 });
});

it('does not start without keys', () => {
  const options = {
    authJwksFile: join(directory, 'missing.json'),
    authIssuer: issuer,
    authAudience: audience,
  };
  expect(() => createTokenVerifier(options)).toThrow(
    expect.objectContaining({
      problems: [expect.objectContaining({ variable: 'AUTH_JWKS_FILE' })],
    }),
  );
});

describe('keys from a URL', () => {
  let keys: Server;
  let status = 200;
  beforeAll(async () => {
    keys = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys: [first.jwk] }));
    });
    await new Promise<void>((resolve) => void keys.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise<void>((resolve) => void keys.close(() => resolve())));

  const verifier = () =>
    createTokenVerifier({
      authJwksUrl: `http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks.json`,
      authIssuer: issuer,
      authAudience: audience,
    });

  it('are fetched', async () => {
    const caller = await verifier().verify(`Bearer ${await first.token()}`);
    expect(caller.subject).toBe('shop');
  });
  it('that cannot be had are our fault, not that of the token', async () => {
    status = 500;
    const verdict = verifier().verify(`Bearer ${await first.token()}`);
    await expect(verdict).rejects.toMatchObject({ status: 503, code: 'temporarily_unavailable' });
  });
});

it('without a verifier only public routes answer', async () => {
  const closed = await startOrders();
  try {
    const init = { headers: { authorization: `Bearer ${await first.token()}` } };
    expect((await fetch(`${closed.url}/v1/anyone`, init)).status).toBe(401);
    expect((await fetch(`${closed.url}/v1/orders/1`)).status).toBe(200);
  } finally {
    await closed.close();
  }
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
