// The gateway's HTTP door as callers meet it: who may read, what is refused and how, and that refusing changes nothing.
import { createHmac } from 'node:crypto';
import { maskPixKey, sealPayee } from '@compasso/contracts';
import { uuidv7 } from 'uuidv7';
import { cpf } from '../jobs/gateway-world.story.ts';
import { type RunningGateway, runningGateway } from '../running-gateway.fixture.ts';
import { webhookSecret } from '../simulator.fixture.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await runningGateway();
}, 60_000);
afterAll(() => gateway.stop(), 60_000);

const authorization = async (...claims: Parameters<RunningGateway['mint']>) => ({
  authorization: `Bearer ${await gateway.mint(...claims)}`,
});

const read = async (id: string, headers: Record<string, string>) => {
  const answer = await gateway.ask(`/v1/payouts/${id}`, { headers });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: (await answer.json()) as Body,
  };
};
type Body = Record<string, unknown>;

describe('GET /v1/payouts/:id', () => {
  it('shows what was sent, asked and known, and no key', async () => {
    const transferId = uuidv7();
    // A webhook that is there at once would have the payout asked about before it is read.
    await gateway.simulator.befall(transferId, 'pending-long');
    await gateway.authorize({ transferId });
    await gateway.turn();
    const { status, body } = await read(transferId, await authorization());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      transferId,
      amountCents: 15_000,
      payee: { kind: 'key', keyType: 'cpf', keyMasked: maskPixKey(cpf) },
      provider: 'reference',
      providerOrderId: transferId,
      state: 'submitted',
      nextStepAt: expect.stringMatching(/^20.*Z$/),
      attempts: [{ attempt: 1, outcome: 'accepted' }],
      answers: [],
    });
    const text = JSON.stringify(body);
    expect(text).not.toContain(cpf.key);
    expect(text).not.toContain('sealed');
    expect((await read(transferId.toUpperCase(), await authorization())).status).toBe(200);
  });

  it.each([
    ['no token', async () => ({}), 401, 'token_missing'],
    ['garbage', async () => ({ authorization: 'Bearer garbage' }), 401, 'token_invalid'],
    ['an expired token', () => authorization({}, '-1m'), 401, 'token_expired'],
    ['another scope', () => authorization({ scope: 'transfers:read' }), 403, 'scope_missing'],
    ['another account', () => authorization({ accounts: [uuidv7()] }), 403, 'account_not_allowed'],
  ] as const)('refuses %s', async (_what, headers, status, code) => {
    const transferId = uuidv7();
    await gateway.authorize({ transferId });
    const refused = await read(transferId, await headers());
    expect(refused).toMatchObject({
      status,
      type: 'application/problem+json; charset=utf-8',
      body: { code },
    });
  });

  it.each([
    ['nothing that we have', uuidv7(), 404, 'payout_not_found'],
    ['no UUID', '42', 400, 'invalid_request'],
    ['somebody else’s path', '..%2fadmin', 400, 'invalid_request'],
  ])('refuses %s', async (_what, id, status, code) => {
    expect(await read(id, await authorization())).toMatchObject({ status, body: { code } });
  });
});

describe('GET /.well-known/payee-jwks.json', () => {
  it('gives everybody the keys to seal to, and nothing private', async () => {
    const answer = await gateway.ask('/.well-known/payee-jwks.json');
    const keys = (await answer.json()) as Parameters<typeof sealPayee>[1];
    expect(answer.status).toBe(200);
    expect(keys.keys.every((key) => !('d' in key))).toBe(true);
    expect(gateway.keys.open(await sealPayee(cpf, keys))).toEqual({ ok: true, key: cpf });
  });
});

describe('POST /v1/webhooks/reference', () => {
  const deliver = (
    body: string,
    changes: { secret?: string; at?: number; headers?: Record<string, string> } = {},
  ) => {
    const timestamp = String(Math.trunc((changes.at ?? Date.now()) / 1_000));
    const signature = createHmac('sha256', changes.secret ?? webhookSecret)
      .update(`${timestamp}.${body}`)
      .digest('hex');
    return gateway.ask('/v1/webhooks/reference', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-provider-timestamp': timestamp,
        'x-provider-signature': signature,
        ...changes.headers,
      },
    });
  };
  const notice = (payoutId: string) =>
    JSON.stringify({
      id: uuidv7(),
      type: 'payout.updated',
      payoutId,
      status: 'paid',
      occurredAt: new Date().toISOString(),
    });

  it('takes what the provider signed, whatever JSON it is and whatever type it is said to be', async () => {
    expect((await deliver(notice(uuidv7()))).status).toBe(200);
    expect((await deliver(notice(uuidv7()), { headers: { 'content-type': 'text/plain' } })).status).toBe(200);
    expect((await deliver(`  ${notice(uuidv7())}\n`)).status).toBe(200);
    expect((await deliver('{"a":')).status).toBe(200);
  });

  it.each([
    ['a foreign signature', { secret: 'a-guess' }, 'webhook_signature_invalid'],
    ['an old one', { at: Date.now() - 3_600_000 }, 'webhook_timestamp_out_of_range'],
    ['none', { headers: { 'x-provider-signature': '' } }, 'webhook_signature_invalid'],
  ])('refuses %s with a problem, logs it once, and changes nothing', async (_what, changes, code) => {
    const transferId = uuidv7();
    await gateway.authorize({ transferId });
    const before = { row: await gateway.read(transferId), logged: refusals().length };
    const answer = await deliver(notice(transferId), changes);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      code,
      messages: { en: expect.any(String), 'pt-BR': expect.any(String) },
    });
    expect(await gateway.read(transferId)).toEqual(before.row);
    expect(refusals().slice(before.logged)).toMatchObject([{ code, status: 401 }]);
    const history = await gateway.queries.history(transferId);
    expect(history?.deliveries).toHaveLength(1);
  });

  it('refuses a body that is larger than any notice is', async () => {
    expect((await deliver(' '.repeat(70_000))).status).toBe(413);
  });

  it('is only posted to', async () => {
    expect((await gateway.ask('/v1/webhooks/reference')).status).toBe(405);
    expect((await gateway.ask('/v1/webhooks/nobody', { method: 'POST', body: '{}' })).status).toBe(404);
  });

  const refusals = () => gateway.logged().filter(({ message }) => message === 'request refused');
});
