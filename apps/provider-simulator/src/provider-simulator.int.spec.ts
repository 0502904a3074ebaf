// The provider's API against the real process.
import { centsOf } from '@compasso/kernel';
import { eventually } from '@compasso/testing';
import { jest } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { magicAmount } from './domain/choose-fault.ts';
import type { FaultName } from './domain/fault-catalogue.ts';
import {
  call,
  type Folder,
  makeFolder,
  newPayoutId,
  payout,
  receiveWebhooks,
  type RunningProcess,
  startSimulator,
  type Webhook,
  type WebhookReceiver,
  webhookSecret,
} from './simulator-process.fixture.ts';

jest.setTimeout(30_000);

let folder: Folder;
let provider: RunningProcess;
let webhooks: WebhookReceiver;

beforeAll(async () => {
  webhooks = await receiveWebhooks();
  folder = makeFolder(['http://127.0.0.1:9/nobody', webhooks.url]);
  provider = await startSimulator(folder);
});

afterAll(async () => {
  await provider.kill('SIGKILL');
  await webhooks.stop();
  folder.remove();
});

const magic = (fault: Exclude<FaultName, 'none'>) =>
  payout(Number(magicAmount(fault, centsOf(15_000))));
const put = (id: string, body: string | object = payout(), options = {}) =>
  call(provider, `PUT /v1/payouts/${id}`, { body, ...options });
const get = (id: string) => call(provider, `GET /v1/payouts/${id}`);
const until = (id: string, status: string) =>
  eventually(async () => (await get(id)).body['status'] === status, {
    because: `${id} is ${status}`,
  });
const ordersOf = async (id: string) =>
  (await call(provider, `GET /admin/orders?payoutId=${id}`)).body['items'] as Record<
    string,
    unknown
  >[];
const callsOf = async (id: string) => {
  const { body } = await call(provider, `GET /admin/calls?payoutId=${id}`);
  return (body['items'] as Record<string, unknown>[]).map(
    ({ method, answer }) => `${String(method)} ${String(answer)}`,
  );
};
const isRight = ({ headers, raw }: Webhook): boolean =>
  headers['x-provider-signature'] ===
  createHmac('sha256', webhookSecret)
    .update(`${String(headers['x-provider-timestamp'])}.${raw}`)
    .digest('hex');

describe('a payout', () => {
  it('is accepted, paid, and told of once', async () => {
    const id = newPayoutId();
    const accepted = await put(id);
    expect(accepted.status).toBe(201);
    expect(accepted.body).toEqual({
      id,
      orderId: expect.any(String),
      status: 'processing',
      amountCents: 15_000,
      payee: { keyType: 'CPF', keyMasked: '***982247**' },
      endToEndId: expect.stringMatching(/^E[0-9A-Z]{8}[0-9]{12}[A-Za-z0-9]{11}$/),
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    await until(id, 'paid');
    const [webhook] = await eventually(() => webhooks.of(id).length === 1 && webhooks.of(id), {
      because: 'a webhook',
    });
    expect(webhook?.body).toEqual({
      id: expect.any(String),
      type: 'payout.updated',
      payoutId: id,
      status: 'paid',
      occurredAt: (await get(id)).body['updatedAt'],
    });
    expect(webhook && isRight(webhook)).toBe(true);
    expect(
      Math.abs(Date.now() / 1_000 - Number(webhook?.headers['x-provider-timestamp'])),
    ).toBeLessThan(60);
  });

  it('sent twenty times at once is one order', async () => {
    const id = newPayoutId();
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(19).fill(200),
      201,
    ]);
    expect(new Set(answers.map(({ body }) => body['orderId'])).size).toBe(1);
    expect(await ordersOf(id)).toHaveLength(1);
  });

  it('is the same whatever the order of its fields and the case of its id', async () => {
    const id = newPayoutId();
    const first = await put(id);
    const again = await put(
      id.toUpperCase(),
      '{ "payee": {"key":"52998224725", "keyType":"CPF"},\n"amountCents": 15000 }',
    );
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body['orderId']).toBe(first.body['orderId']);
  });

  it.each([
    ['amount', payout(15_001)],
    ['key', { ...payout(), payee: { keyType: 'CPF', key: '11144477735' } }],
    ['key type', { ...payout(), payee: { keyType: 'PHONE', key: '52998224725' } }],
    ['description', { ...payout(), description: 'other' }],
    ['end-to-end id', { ...payout(), endToEndId: 'E12345678202601011200abcdefghijk' }],
  ])('with another %s under its id is refused, and stays as it was', async (_, other) => {
    const id = newPayoutId();
    await put(id);
    await until(id, 'paid');
    const before = await get(id);
    const conflict = await put(id, other);
    expect([conflict.status, conflict.body['code']]).toEqual([409, 'id_conflict']);
    expect((await get(id)).body).toEqual(before.body);
    expect(await ordersOf(id)).toHaveLength(1);
  });

  it('is not created by a query', async () => {
    const id = newPayoutId();
    const answer = await get(id);
    expect([answer.status, answer.body['code']]).toEqual([404, 'payout_not_found']);
    expect(await ordersOf(id)).toEqual([]);
    expect(await callsOf(id)).toEqual(['GET 404']);
  });
});

describe('what is no request', () => {
  it.each([
    ['no JSON', '{', 400],
    ['nothing', '', 400],
    ['an array', '[]', 400],
    ['an unknown field', { ...payout(), more: 1 }, 400],
    ['no amount', { payee: payout().payee }, 400],
    ['zero', payout(0), 400],
    ['a fraction', payout(0.1), 400],
    ['a text', { ...payout(), amountCents: '15000' }, 400],
    ['too much', payout(1_000_000_000_000), 400],
    [
      'an infinite amount',
      '{"amountCents":1e309,"payee":{"keyType":"CPF","key":"52998224725"}}',
      400,
    ],
    ['an unknown key type', { ...payout(), payee: { keyType: 'IBAN', key: 'x' } }, 400],
    ['a long body', { ...payout(), description: 'x'.repeat(20_000) }, 413],
  ])('%s is refused and creates nothing', async (_, body, status) => {
    const id = newPayoutId();
    const answer = await put(id, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ code: expect.any(String), message: expect.any(String) });
    expect(await ordersOf(id)).toEqual([]);
  });

  it('has an id that is no UUID, no known address, or no key', async () => {
    expect((await put('42')).body['code']).toBe('invalid_id');
    expect((await call(provider, 'POST /v1/payouts', { body: {} })).body['code']).toBe(
      'route_not_found',
    );
    for (const authorization of ['', 'Bearer wrong', 'Basic YTpi']) {
      const id = newPayoutId();
      const answer = await put(id, payout(), { headers: { authorization } });
      expect([answer.status, answer.body['code']]).toEqual([401, 'unauthorized']);
      expect((await get(id)).status).toBe(404);
    }
    expect(
      (await call(provider, 'GET /admin/orders', { headers: { authorization: 'no' } })).status,
    ).toBe(401);
  });
});

describe('faults', () => {
  it('accept and never answer', async () => {
    const id = newPayoutId();
    const patience = new AbortController();
    let answered = false;
    const asked = put(id, magic('accepted-then-timeout'), { signal: patience.signal }).finally(
      () => (answered = true),
    );
    await until(id, 'paid');
    expect(answered).toBe(false);
    patience.abort();
    await expect(asked).rejects.toThrow('aborted');
    expect((await put(id, magic('accepted-then-timeout'))).status).toBe(200);
    expect(webhooks.of(id)).toEqual([]);
  });

  it('never see the first call, and accept the repeat', async () => {
    const id = newPayoutId();
    const patience = new AbortController();
    const asked = put(id, magic('never-seen-resubmitted'), { signal: patience.signal });
    await eventually(async () => (await callsOf(id)).includes('PUT silence'), {
      because: 'the call came',
    });
    patience.abort();
    await expect(asked).rejects.toThrow('aborted');
    expect((await get(id)).status).toBe(404);
    expect((await put(id, magic('never-seen-resubmitted'))).status).toBe(201);
    expect(await callsOf(id)).toEqual(['PUT silence', 'GET 404', 'PUT 201']);
  });

  it('break the connection, before or after accepting', async () => {
    for (const [fault, status] of [
      ['reset-before-accept', 404],
      ['reset-after-accept', 200],
    ] as const) {
      const id = newPayoutId();
      await expect(put(id, magic(fault))).rejects.toThrow('fetch failed');
      expect((await get(id)).status).toBe(status);
    }
  });

  it.each([
    ['error-before-accept', 500, 404],
    ['error-after-accept', 500, 200],
    ['unauthorized-once', 401, 404],
    ['refused-ac03', 422, 404],
    ['unreadable-answer', 200, 200],
  ] as const)('%s answers %i, and a query %i', async (fault, answered, queried) => {
    const id = newPayoutId();
    expect((await put(id, magic(fault))).status).toBe(answered);
    expect((await get(id)).status).toBe(queried);
  });

  it('ask for a pause', async () => {
    const answer = await put(newPayoutId(), magic('too-many-requests'));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
  });

  it('fail with the code of SPI', async () => {
    const id = newPayoutId();
    await put(id, magic('rejected-ac03'));
    await until(id, 'failed');
    expect((await get(id)).body['failure']).toEqual({ code: 'AC03' });
    const [webhook] = await eventually(() => webhooks.of(id).length === 1 && webhooks.of(id), {
      because: 'a webhook',
    });
    expect(webhook?.body['status']).toBe('failed');
  });

  it('answer late, after the payment and its webhook', async () => {
    const id = newPayoutId();
    const asked = put(id, magic('slow-answer'));
    await eventually(() => webhooks.of(id).length === 1, { because: 'the webhook comes first' });
    const answer = await asked;
    expect([answer.status, answer.body['status']]).toEqual([201, 'processing']);
  });

  it('are chosen by a key too', async () => {
    const id = newPayoutId();
    const key = { keyType: 'EMAIL', key: 'unknown-status@faults.example' };
    expect((await put(id, { amountCents: 1, payee: key })).body['status']).toBe('in_analysis');
  });
});

describe('webhooks', () => {
  it('are doubled and forged', async () => {
    const id = newPayoutId();
    await put(id, magic('webhook-doubled-forged'));
    await eventually(() => webhooks.of(id).length === 6, { because: 'six deliveries' });
    const shown = webhooks.of(id).map((one) => {
      const ageMs = Date.now() - Number(one.headers['x-provider-timestamp']) * 1_000;
      return [one.body['status'], isRight(one), ageMs > 600_000].join(' ');
    });
    expect(shown.sort()).toEqual(
      [
        'paid true false',
        'paid true false',
        'paid false false',
        'failed false false',
        'failed true true',
        'failed true false',
      ].sort(),
    );
    expect((await get(id)).body['status']).toBe('paid');
  });

  it('are tried again until an address takes them', async () => {
    const id = newPayoutId();
    webhooks.answerWith(500);
    await put(id);
    await eventually(() => webhooks.of(id).length >= 2, { because: 'a second try' });
    webhooks.answerWith(204);
    const before = webhooks.of(id).length;
    await eventually(() => webhooks.of(id).length === before + 1, { because: 'a last try' });
    expect(new Set(webhooks.of(id).map(({ body }) => body['id'])).size).toBe(1);
  });

  it('continue the trace of the call', async () => {
    const id = newPayoutId();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await put(id, payout(), { headers: { traceparent } });
    await eventually(() => webhooks.of(id).length === 1, { because: 'a webhook' });
    expect(webhooks.of(id)[0]?.headers['traceparent']).toContain(
      '0af7651916cd43dd8448eb211c80319c',
    );
  });
});

describe('the list', () => {
  it('pages through what changed in a window, the oldest change first', async () => {
    const ids = [newPayoutId(), newPayoutId(), newPayoutId()];
    for (const id of ids) {
      await put(id);
      await until(id, 'paid');
    }
    const from = (await get(ids[0] ?? '')).body['updatedAt'];
    const seen: unknown[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 9; pages += 1) {
      const query = new URLSearchParams({
        from: String(from),
        to: '2099-01-01T00:00:00Z',
        limit: '2',
      });
      if (cursor) query.set('cursor', cursor);
      const { body } = await call(provider, `GET /v1/payouts?${query.toString()}`);
      const items = body['items'] as { id: string }[];
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ id }) => id));
      cursor = body['nextCursor'] as string | null;
    }
    expect(seen.filter((id) => ids.includes(String(id)))).toEqual(ids);
  });

  it.each([
    '',
    '?from=2026-01-01T00:00:00Z',
    '?from=yesterday&to=today',
    '?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z&limit=501',
  ])('refuses %j', async (query) => {
    expect((await call(provider, `GET /v1/payouts${query}`)).status).toBe(400);
  });
});

describe('the admin endpoint', () => {
  afterEach(() => call(provider, 'DELETE /admin/faults'));

  it('chooses faults for some payouts, and takes them back', async () => {
    const [chosen, other] = [newPayoutId(), newPayoutId()];
    const rules = { faults: [{ fault: 'refused-frad', payoutIds: [chosen] }] };
    expect((await call(provider, 'PUT /admin/faults', { body: rules })).body).toEqual({
      ...rules,
      outage: null,
    });
    expect((await put(chosen)).body['code']).toBe('FRAD');
    expect((await put(other)).status).toBe(201);
    expect((await call(provider, 'DELETE /admin/faults')).body).toEqual({
      faults: [],
      outage: null,
    });
    expect((await put(newPayoutId())).status).toBe(201);
  });

  it('puts the whole API out of service', async () => {
    const id = newPayoutId();
    await put(id);
    await call(provider, 'PUT /admin/faults', { body: { outage: 'error' } });
    expect([(await put(newPayoutId())).status, (await get(id)).status]).toEqual([500, 500]);
    await call(provider, 'DELETE /admin/faults');
    expect((await get(id)).status).toBe(200);
  });

  it('refuses what it does not know', async () => {
    for (const body of [
      { faults: [{ fault: 'nonsense' }] },
      { outage: 'fire' },
      { more: 1 },
      '{',
    ]) {
      expect((await call(provider, 'PUT /admin/faults', { body })).status).toBe(400);
    }
  });

  it('ends an order that would never end', async () => {
    const id = newPayoutId();
    await put(id, magic('deadline-review'));
    const ended = await call(provider, `PUT /admin/orders/${id}/ending`, {
      body: { status: 'paid' },
    });
    expect(ended.body).toMatchObject({ id, status: 'paid', fault: 'deadline-review', live: true });
    const again = await call(provider, `PUT /admin/orders/${id}/ending`, {
      body: { status: 'failed', code: 'AC03' },
    });
    expect(again.body['status']).toBe('paid');
    expect(
      (
        await call(provider, `PUT /admin/orders/${newPayoutId()}/ending`, {
          body: { status: 'paid' },
        })
      ).status,
    ).toBe(404);
  });
});

it('answers probes, and shows metrics on its own port', async () => {
  for (const url of [provider.url, provider.managementUrl]) {
    const { status, body } = await call({ url }, 'GET /health/ready');
    expect([status, body['checks']]).toEqual([
      200,
      { progress: { ok: true }, webhooks: { ok: true } },
    ]);
  }
  const metrics = await call({ url: provider.managementUrl }, 'GET /metrics');
  expect(metrics.text).toMatch(/compasso_simulator_calls_total\{.*answer="201".*\} \d/);
});
