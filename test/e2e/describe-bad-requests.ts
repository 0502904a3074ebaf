// What callers get wrong over HTTP: each gets a problem with a stable code and a sentence, and changes nothing.
import { uuidv7 } from 'uuidv7';
import type { Call } from '../../tools/client/http-peers.ts';
import { openAccount, orderOf } from '../../tools/demo/world.ts';
import { mintToken } from '../../tools/mint-token.ts';
import type { Stage } from './stage.ts';

const fundsCents = 50_000;
const goodCents = 1_000;

export function describeBadRequests(stage: () => Stage): void {
  describe('bad requests over HTTP', () => {
    let accountId: string;
    beforeAll(async () => {
      accountId = await openAccount(stage().world, { fundsCents });
    });

    const good = () => orderOf({ accountId, amountCents: goodCents, story: 'bad-input' });
    const refused = async (status: number, code: string, call: Partial<Call>) => {
      const { ledger } = stage().clients;
      const answer = await ledger.http.call<Record<string, unknown>>({
        method: 'POST',
        path: '/v1/transfers',
        idempotencyKey: uuidv7(),
        ...call,
      });
      expect({ status: answer.status, code: answer.body?.['code'] }).toEqual({ status, code });
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(answer.body).toMatchObject({
        detail: expect.stringMatching(/\.$/),
        messages: { en: expect.any(String), 'pt-BR': expect.any(String) },
      });
      expect(await ledger.account(accountId)).toMatchObject({ availableCents: fundsCents, heldCents: 0 });
    };
    const withBody = (changes: object) => ({ body: { ...good(), ...changes } });
    const withKey = (keyType: string, key: string) => withBody({ payee: { kind: 'key', keyType, key } });

    it.each(['0', '-1', '1e309', '0.1', '"1000"', '9007199254740992', '1000000000000', 'null'])(
      'the amount %s',
      (amount) => {
        const raw = JSON.stringify(good()).replace(String(goodCents), amount);
        return refused(400, 'invalid_request', { raw });
      },
    );

    it('an amount beyond the limit of the account', async () => {
      const order = { ...good(), amountCents: 100_000_001 };
      await refused(422, 'transfer_limit_exceeded', { body: order });
    });

    it.each([
      ['cpf', '52998224724'],
      ['cpf', '529.982.247-25'],
      ['cnpj', '12ABC34501DE36'],
      ['cnpj', '12abc34501de35'],
      ['phone', '11987654321'],
      ['email', 'ana@'],
      ['evp', '123e4567-e89b-12d3-a456-42661417400'],
    ])('a bad %s: %s', (keyType, key) => refused(422, `pix_key_${keyType}_invalid`, withKey(keyType, key)));

    it.each([
      ['JSON that is cut off', 400, 'malformed_json', { raw: '{"accountId":' }],
      ['a bare array', 400, 'invalid_request', { raw: '[]' }],
      ['deep nesting', 400, 'json_too_deep', { raw: `${'{"a":'.repeat(200)}1${'}'.repeat(200)}` }],
      ['a body of a megabyte', 413, 'body_too_large', { raw: JSON.stringify({ a: 'x'.repeat(1_100_000) }) }],
      ['no body', 400, 'body_missing', {}],
    ] as const)('%s', (_, status, code, call) => refused(status, code, call));

    it.each([
      ['no idempotency key', 400, 'idempotency_key_missing', { idempotencyKey: '' }],
      ['an idempotency key that is no UUID', 400, 'idempotency_key_malformed', { idempotencyKey: 'order-7' }],
      ['no token', 401, 'token_missing', { token: null }],
      ['a token that is none', 401, 'token_invalid', { token: 'abc' }],
    ] as const)('%s', (_, status, code, call) => refused(status, code, { ...withBody({}), ...call }));

    it('an unknown field', () => refused(400, 'invalid_request', withBody({ comment: 'hello' })));
    it('a wrong type', () => refused(400, 'invalid_request', withBody({ accountId: 7 })));

    it('expired tokens, and tokens for somebody else', async () => {
      const keys = stage().system.keysDirectory;
      const expired = await mintToken(keys, { expires: '-1h' });
      const foreign = await mintToken(keys, { audience: 'somebody-else' });
      const elsewhere = await mintToken(keys, { accounts: [uuidv7()] });
      const reader = await mintToken(keys, { scope: 'transfers:read' });
      await refused(401, 'token_expired', { ...withBody({}), token: expired });
      await refused(401, 'token_invalid', { ...withBody({}), token: foreign });
      await refused(403, 'account_not_allowed', { ...withBody({}), token: elsewhere });
      await refused(403, 'scope_missing', { ...withBody({}), token: reader });
    });
  });
}
