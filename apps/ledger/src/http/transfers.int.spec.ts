import { uuidv7 } from 'uuidv7';
import { eventsOf, type LedgerHttp, ledgerHttp, transferTo } from './ledger-http.story.ts';

let ledger: LedgerHttp;
beforeAll(async () => (ledger = await ledgerHttp()));
afterAll(() => ledger.close());

const eventsAbout = async (subject: string) =>
  (await eventsOf(ledger)).filter((event) => event.subject === subject);

describe('POST /v1/transfers', () => {
  it('accepts, holds and authorises', async () => {
    const accountId = await ledger.openAccount(5_000);
    const key = uuidv7();
    const body = transferTo(accountId, { clientReference: 'inv 1', metadata: { order: 'A-118' } });
    const answer = await ledger.post('/v1/transfers', { key, body });
    expect(answer).toMatchObject({
      status: 202,
      body: {
        transferId: key,
        state: 'accepted',
        accountId,
        amountCents: 1_000,
        feeCents: 0,
        clientReference: 'inv 1',
        statusUrl: `/v1/transfers/${key}`,
      },
    });
    const account = await ledger.get(`/v1/accounts/${accountId}`);
    expect(account.body).toMatchObject({ availableCents: 4_000, heldCents: 1_000 });
    const events = await eventsAbout(key);
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['compasso.ledger.funds-reserved.v1', 1],
      ['compasso.ledger.payout-authorized.v1', 2],
    ]);
    expect(events[0]!.data).toMatchObject({
      requestedBy: 'client.shop',
      metadata: { order: 'A-118' },
    });
  });

  it('seals the payee: the key itself is in no table and no event', async () => {
    const accountId = await ledger.openAccount();
    const key = uuidv7();
    const secret = 'maria.souza@example.com.br';
    const payee = { kind: 'key', keyType: 'email', key: secret };
    await ledger.post('/v1/transfers', { key, body: transferTo(accountId, { payee }) });
    const dump = await ledger.database.hot.query<{ row: string }>(
      `select t::text as row from transfer t where transfer_id = '${key}'
       union all select e::text from event_log e where subject = '${key}'`,
    );
    expect(dump.rows).toHaveLength(3);
    expect(JSON.stringify(dump.rows)).not.toContain('maria');
  });

  it('answers a repetition with the same status and the same bytes, also later', async () => {
    const accountId = await ledger.openAccount();
    const call = { key: uuidv7(), body: transferTo(accountId) };
    const first = await ledger.post('/v1/transfers', call);
    const again = await ledger.post('/v1/transfers', { ...call, key: call.key.toUpperCase() });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(await eventsAbout(call.key)).toHaveLength(2);
  });

  it('repeats a refusal word for word, also when the money has come meanwhile', async () => {
    const accountId = await ledger.openAccount(999);
    const call = { key: uuidv7(), body: transferTo(accountId) };
    const first = await ledger.post('/v1/transfers', call);
    expect(first).toMatchObject({
      status: 422,
      type: 'application/problem+json; charset=utf-8',
      body: { code: 'insufficient_funds', transferId: call.key },
    });
    await ledger.post(`/v1/accounts/${accountId}/deposits`, {
      key: uuidv7(),
      body: { amountCents: 5_000 },
    });
    const again = await ledger.post('/v1/transfers', call);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(await eventsAbout(call.key)).toHaveLength(1);
  });

  it('tells a customer why, in Portuguese and in English', async () => {
    const accountId = await ledger.openAccount(0);
    const headers = { 'accept-language': 'pt-BR' };
    const answer = await ledger.post('/v1/transfers', {
      key: uuidv7(),
      body: transferTo(accountId),
      headers,
    });
    expect(answer.body).toMatchObject({
      detail: 'O saldo disponível não cobre a transferência.',
      messages: { en: 'The available balance does not cover the transfer.' },
    });
  });

  it.each([
    ['amount', { amountCents: 1_001 }],
    ['payee', { payee: { kind: 'key', keyType: 'email', key: 'eva@example.com' } }],
  ])('refuses another %s under the same key, and changes nothing', async (_, changes) => {
    const accountId = await ledger.openAccount();
    const key = uuidv7();
    await ledger.post('/v1/transfers', { key, body: transferTo(accountId) });
    const other = await ledger.post('/v1/transfers', { key, body: transferTo(accountId, changes) });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    const account = await ledger.get(`/v1/accounts/${accountId}`);
    expect(account.body).toMatchObject({ heldCents: 1_000 });
  });

  it('refuses the same key for another account (H6)', async () => {
    const [one, two] = [await ledger.openAccount(), await ledger.openAccount()];
    const key = uuidv7();
    const answers = await Promise.all(
      [one, two].map((accountId) =>
        ledger.post('/v1/transfers', { key, body: transferTo(accountId) }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 422]);
    const held = await Promise.all([one, two].map((id) => ledger.get(`/v1/accounts/${id}`)));
    expect(held.map(({ body }) => body['heldCents']).sort()).toEqual([0, 1_000]);
  });

  it('makes one transfer and one answer of 20 requests at once (D-01)', async () => {
    const accountId = await ledger.openAccount();
    const call = { key: uuidv7(), body: transferTo(accountId) };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ledger.post('/v1/transfers', call)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(202);
    expect(await eventsAbout(call.key)).toHaveLength(2);
    const account = await ledger.get(`/v1/accounts/${accountId}`);
    expect(account.body).toMatchObject({ heldCents: 1_000 });
  });

  it('does not send after notAfter', async () => {
    const accountId = await ledger.openAccount();
    const notAfter = new Date(Date.now() + 60_000).toISOString();
    const key = uuidv7();
    await ledger.post('/v1/transfers', { key, body: transferTo(accountId, { notAfter }) });
    const view = await ledger.get(`/v1/transfers/${key}`);
    expect(view.body).toMatchObject({ sendBefore: notAfter });
    const past = { notAfter: '2020-01-01T00:00:00Z' };
    const late = await ledger.post('/v1/transfers', {
      key: uuidv7(),
      body: transferTo(accountId, past),
    });
    expect(late).toMatchObject({ status: 422, body: { code: 'not_after_passed' } });
  });

  it('needs an account that exists and that the token allows', async () => {
    const unknown = await ledger.post('/v1/transfers', {
      key: uuidv7(),
      body: transferTo(uuidv7()),
    });
    expect(unknown).toMatchObject({ status: 422, body: { code: 'account_not_found' } });
    const accountId = await ledger.openAccount();
    const token = await ledger.mint({ accounts: [uuidv7()] });
    const foreign = await ledger.post('/v1/transfers', {
      key: uuidv7(),
      body: transferTo(accountId),
      token,
    });
    expect(foreign).toMatchObject({ status: 403, body: { code: 'account_not_allowed' } });
    expect((await ledger.get(`/v1/accounts/${accountId}`)).body).toMatchObject({ heldCents: 0 });
  });
});

describe('GET /v1/transfers/:id', () => {
  it('is there as soon as the 202 is', async () => {
    const accountId = await ledger.openAccount();
    const key = uuidv7();
    await ledger.post('/v1/transfers', { key, body: transferTo(accountId) });
    const view = await ledger.get(`/v1/transfers/${key}`);
    expect(view).toMatchObject({
      status: 200,
      body: {
        transferId: key,
        state: 'authorized',
        payee: { kind: 'key', keyType: 'email', keyMasked: 'a**@e**********' },
        requestedBy: 'client.shop',
      },
    });
    expect(view.text).not.toContain('sealed');
  });

  it('is not there for a token of other accounts, nor when nobody asked for it', async () => {
    const accountId = await ledger.openAccount();
    const key = uuidv7();
    await ledger.post('/v1/transfers', { key, body: transferTo(accountId) });
    const token = await ledger.mint({ accounts: [uuidv7()] });
    const hidden = await ledger.get(`/v1/transfers/${key}`, { token });
    expect(hidden).toMatchObject({ status: 404, body: { code: 'transfer_not_found' } });
    const unknown = await ledger.get(`/v1/transfers/${uuidv7()}`);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'transfer_not_found' } });
  });
});

describe('POST /v1/transfers/:id/cancel', () => {
  const cancel = (transferId: string, accountId: string) =>
    ledger.post(`/v1/transfers/${transferId}/cancel`, { body: { accountId } });

  it('is passed on after the pivot, and the money stays on hold', async () => {
    const accountId = await ledger.openAccount(5_000);
    const key = uuidv7();
    await ledger.post('/v1/transfers', { key, body: transferTo(accountId) });
    expect(await cancel(key, accountId)).toMatchObject({
      status: 202,
      body: { transferId: key, outcome: 'passed_on', statusUrl: `/v1/transfers/${key}` },
    });
    expect((await eventsAbout(key)).map(({ type, sequence }) => [type, sequence]).at(-1)).toEqual([
      'compasso.ledger.payout-cancel-requested.v1',
      3,
    ]);
    expect((await ledger.get(`/v1/accounts/${accountId}`)).body).toMatchObject({ heldCents: 1_000 });
  });

  it('before the request refuses it, for ever and with a reason', async () => {
    const accountId = await ledger.openAccount(5_000);
    const key = uuidv7();
    for (const outcome of ['kept_for_the_request', 'nothing_to_do']) {
      expect(await cancel(key, accountId)).toMatchObject({ status: 202, body: { outcome } });
    }
    const answer = await ledger.post('/v1/transfers', { key, body: transferTo(accountId) });
    expect(answer).toMatchObject({ status: 422, body: { code: 'cancelled_by_requester' } });
    expect(await cancel(key, accountId)).toMatchObject({ status: 202, body: { outcome: 'nothing_to_do' } });
  });

  it('does not tell that a transfer of another account exists', async () => {
    const [accountId, other] = [await ledger.openAccount(5_000), await ledger.openAccount(0)];
    const key = uuidv7();
    await ledger.post('/v1/transfers', { key, body: transferTo(accountId) });
    expect(await cancel(key, other)).toMatchObject({ status: 404, body: { code: 'transfer_not_found' } });
    expect(await cancel('not-a-uuid', other)).toMatchObject({ status: 400 });
  });
});
