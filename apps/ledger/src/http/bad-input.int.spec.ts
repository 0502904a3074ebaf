// Everything that is refused before a decision: a 4xx with a stable code and a sentence, one log
// line, and nothing changed.
import { uuidv7 } from 'uuidv7';
import {
  eventsOf,
  type Answer,
  type Call,
  type LedgerHttp,
  ledgerHttp,
  transferTo,
} from './ledger-http.story.ts';

let ledger: LedgerHttp;
let accountId: string;
beforeAll(async () => {
  ledger = await ledgerHttp();
  accountId = await ledger.openAccount();
});
afterAll(() => ledger.close());

async function refused(path: string, call: Call): Promise<Answer> {
  const lines = ledger.logged().length;
  const events = (await eventsOf(ledger)).length;
  const answer = await ledger.post(path, call);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.type).toBe('application/problem+json; charset=utf-8');
  expect(answer.body).toMatchObject({
    code: expect.stringMatching(/^[a-z_]+$/),
    detail: expect.stringMatching(/\.$/),
    messages: { en: expect.any(String), 'pt-BR': expect.any(String) },
  });
  const logged = ledger.logged().slice(lines);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatchObject({ code: answer.body['code'], status: answer.status });
  expect(await eventsOf(ledger)).toHaveLength(events);
  const account = await ledger.get(`/v1/accounts/${accountId}`);
  expect(account.body).toMatchObject({ availableCents: 100_000, heldCents: 0 });
  return answer;
}

const transfer = (call: Call) => refused('/v1/transfers', { key: uuidv7(), ...call });
const withBody = (changes: object) => transfer({ body: transferTo(accountId, changes) });
const rawAmount = (amount: string) =>
  transfer({ raw: JSON.stringify(transferTo(accountId)).replace('1000', amount) });

describe('amounts', () => {
  it.each([
    ['0', 'too_small'],
    ['-1', 'too_small'],
    ['1000000000000', 'too_big'],
    ['9007199254740992', 'too_big'],
    ['1e309', 'invalid_type'],
    ['0.1', 'not_an_integer'],
    ['"1000"', 'invalid_type'],
    ['null', 'invalid_type'],
    ['true', 'invalid_type'],
    ['[1000]', 'invalid_type'],
  ])('%s', async (amount, code) => {
    const { status, body } = await rawAmount(amount);
    expect(status).toBe(400);
    const errors = expect.arrayContaining([{ path: 'amountCents', code }]);
    expect(body).toMatchObject({ code: 'invalid_request', errors });
  });

  it.each(['01000', '+1000', 'NaN', 'Infinity', '1_000'])('%s is not JSON', async (amount) => {
    expect((await rawAmount(amount)).body).toMatchObject({ code: 'malformed_json' });
  });
});

describe('Pix keys', () => {
  it.each([
    ['cpf', '52998224724'],
    ['cpf', '11111111111'],
    ['cpf', '529.982.247-25'],
    ['cpf', '5299822472'],
    ['cnpj', '12ABC34501DE36'],
    ['cnpj', '12abc34501de35'],
    ['cnpj', '11222333000180'],
    ['phone', '11976543210'],
    ['phone', '+5511887654321'],
    ['phone', '+551198765432a'],
    ['email', 'ana@'],
    ['email', `${'a'.repeat(70)}@example.com`],
    ['evp', '123e4567-e89b-12d3-a456-42661417400'],
  ])('a bad %s: %s', async (keyType, key) => {
    const { status, body, text } = await withBody({ payee: { kind: 'key', keyType, key } });
    expect([status, body['code']]).toEqual(
      key.length > 77 ? [400, 'invalid_request'] : [422, `pix_key_${keyType}_invalid`],
    );
    expect(text).not.toContain(key);
    expect(JSON.stringify(ledger.logged())).not.toContain(key);
  });

  it('takes 11 digits for what the caller says they are', async () => {
    // A valid CPF that is also a mobile number with its area code.
    const both = '11987654374';
    const asPhone = await withBody({ payee: { kind: 'key', keyType: 'phone', key: both } });
    expect(asPhone.body['code']).toBe('pix_key_phone_invalid');
  });

  it.each([
    ['an unknown type', { kind: 'key', keyType: 'cpf ', key: '52998224725' }],
    ['a kind that is not supported yet', { kind: 'br_code', brCode: '00020126' }],
    ['no key', { kind: 'key', keyType: 'cpf' }],
    ['a number for a key', { kind: 'key', keyType: 'cpf', key: 52998224725 }],
    ['a field too many', { kind: 'key', keyType: 'cpf', key: '52998224725', name: 'Ana' }],
  ])('%s', async (_, payee) => {
    expect((await withBody({ payee })).body).toMatchObject({ code: 'invalid_request' });
  });
});

describe('bodies', () => {
  it.each([
    ['cut off', '{"accountId":', 'malformed_json'],
    ['an array', '[]', 'invalid_request'],
    ['a text', '"transfer"', 'invalid_request'],
    ['null', 'null', 'invalid_request'],
    ['nested deeply', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, 'json_too_deep'],
    ['a field twice', '{"amountCents":1,"amountCents":2}', 'duplicate_field'],
    ['a poisonous name', '{"__proto__":{"amountCents":1}}', 'forbidden_field'],
    ['empty', '', 'body_missing'],
    ['too large', `"${'x'.repeat(70_000)}"`, 'body_too_large'],
  ])('%s', async (_, raw, code) => {
    expect((await transfer({ raw })).body).toMatchObject({ code });
  });

  it('of another type', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await transfer({ raw: 'x', headers })).body).toMatchObject({
      code: 'unsupported_media_type',
    });
  });

  it.each([
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['no account', { accountId: undefined }, 'accountId'],
    ['an account that is no UUID', { accountId: '1' }, 'accountId'],
    ['the nil UUID', { accountId: '00000000-0000-0000-0000-000000000000' }, 'accountId'],
    ['a reference too long', { clientReference: 'x'.repeat(65) }, 'clientReference'],
    ['a reference with a line break', { clientReference: 'a\nb' }, 'clientReference'],
    [
      'metadata too large',
      { metadata: Object.fromEntries([1, 2, 3, 4, 5].map((n) => [n, 'x'.repeat(250)])) },
      'metadata',
    ],
    ['metadata that is no text', { metadata: { a: 1 } }, 'metadata.a'],
    ['metadata with a NUL', { metadata: { a: '\0' } }, 'metadata'],
    ['a time that is none', { notAfter: 'tomorrow' }, 'notAfter'],
    ['a time without a zone', { notAfter: '2026-12-01T10:00:00' }, 'notAfter'],
    ['a year that no calendar of ours has', { notAfter: '0000-01-01T00:00:00Z' }, 'notAfter'],
  ])('%s', async (_, changes, path) => {
    const { status, body } = await withBody(changes);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });
});

describe('idempotency keys', () => {
  it.each(['/v1/transfers', '/v1/accounts', 'deposits'])('are needed by POST %s', async (path) => {
    const bodies: Record<string, object> = {
      '/v1/transfers': transferTo(accountId),
      '/v1/accounts': {
        holderKind: 'legal',
        limits: { perTransferCents: 1, dayCents: 1, nightCents: 1 },
      },
      deposits: { amountCents: 1 },
    };
    const url = path === 'deposits' ? `/v1/accounts/${accountId}/deposits` : path;
    const missing = await refused(url, { body: bodies[path] });
    expect(missing).toMatchObject({ status: 400, body: { code: 'idempotency_key_missing' } });
    const malformed = await refused(url, { body: bodies[path], key: 'abc' });
    expect(malformed).toMatchObject({ status: 400, body: { code: 'idempotency_key_malformed' } });
  });

  it('must be one', async () => {
    const key = `${uuidv7()}, ${uuidv7()}`;
    const two = await transfer({ key, body: transferTo(accountId) });
    expect(two.body).toMatchObject({ code: 'idempotency_key_malformed' });
  });
});

describe('tokens', () => {
  const asked = async (token: string | null) => {
    const answer = await transfer({ body: transferTo(accountId), token });
    return [answer.status, answer.body['code']];
  };

  it('missing, garbage, expired, of another issuer, without the scope', async () => {
    expect(await asked(null)).toEqual([401, 'token_missing']);
    expect(await asked('garbage')).toEqual([401, 'token_invalid']);
    expect(await asked(await ledger.mint({}, '-1h'))).toEqual([401, 'token_expired']);
    const foreign = await ledgerTokenOfSomebodyElse();
    expect(await asked(foreign)).toEqual([401, 'token_invalid']);
    expect(await asked(await ledger.mint({ scope: 'transfers:read' }))).toEqual([
      403,
      'scope_missing',
    ]);
    expect(await asked(await ledger.mint({ accounts: [] }))).toEqual([403, 'account_not_allowed']);
  });
});

async function ledgerTokenOfSomebodyElse(): Promise<string> {
  const { generateKeyPair, SignJWT } = await import('jose');
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  return new SignJWT({ scope: 'transfers:write', accounts: ['*'] })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('https://compasso.local')
    .setAudience('compasso')
    .setSubject('shop')
    .setExpirationTime('5m')
    .sign(privateKey);
}

describe('paths', () => {
  it('that do not exist, and methods that are not offered', async () => {
    expect((await refused('/v1/payments', { body: {} })).body).toMatchObject({ code: 'not_found' });
    expect((await refused(`/v1/transfers/${uuidv7()}`, {})).body).toMatchObject({
      code: 'method_not_allowed',
    });
    const bad = await refused('/v1/accounts/abc/deposits', {
      key: uuidv7(),
      body: { amountCents: 1 },
    });
    expect(bad.body).toMatchObject({ code: 'invalid_request' });
  });
});
