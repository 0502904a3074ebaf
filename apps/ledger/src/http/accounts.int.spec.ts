import { uuidv7 } from 'uuidv7';
import { eventsOf, type LedgerHttp, ledgerHttp, transferTo } from './ledger-http.story.ts';

let ledger: LedgerHttp;
beforeAll(async () => (ledger = await ledgerHttp()));
afterAll(() => ledger.close());

const limits = { perTransferCents: 1_000, dayCents: 2_000, nightCents: 3_000 };

describe('POST /v1/accounts', () => {
  it('opens an account under the caller’s own id, once, and tells others', async () => {
    const key = uuidv7();
    const call = { key, body: { accountId: key, holderKind: 'natural', limits } };
    const first = await ledger.post('/v1/accounts', call);
    expect(first).toMatchObject({
      status: 201,
      body: { accountId: key, holderKind: 'natural', limits },
    });
    const again = await ledger.post('/v1/accounts', call);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    const events = (await eventsOf(ledger)).filter(({ subject }) => subject === key);
    expect(events).toMatchObject([
      { type: 'compasso.ledger.account-opened.v1', sequence: 1, data: { limits } },
    ]);
  });

  it('refuses other content under the same id, and two ids that differ', async () => {
    const key = uuidv7();
    await ledger.post('/v1/accounts', { key, body: { holderKind: 'natural', limits } });
    const other = await ledger.post('/v1/accounts', { key, body: { holderKind: 'legal', limits } });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    const body = { accountId: uuidv7(), holderKind: 'legal', limits };
    const differing = await ledger.post('/v1/accounts', { key: uuidv7(), body });
    expect(differing).toMatchObject({ status: 422, body: { code: 'account_id_differs' } });
  });

  it('opens only accounts that the token allows', async () => {
    const token = await ledger.mint({ accounts: [uuidv7()] });
    const answer = await ledger.post('/v1/accounts', {
      key: uuidv7(),
      body: { holderKind: 'legal', limits },
      token,
    });
    expect(answer).toMatchObject({ status: 403, body: { code: 'account_not_allowed' } });
  });
});

describe('GET /v1/accounts/:id', () => {
  it('shows balances, limits and state', async () => {
    const accountId = await ledger.openAccount(700, limits);
    expect(await ledger.get(`/v1/accounts/${accountId}`)).toMatchObject({
      status: 200,
      body: { accountId, state: 'open', availableCents: 700, heldCents: 0, limits },
    });
  });

  it('knows no account that was never opened', async () => {
    const answer = await ledger.get(`/v1/accounts/${uuidv7()}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
    const entries = await ledger.get(`/v1/accounts/${uuidv7()}/entries`);
    expect(entries).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
  });
});

describe('POST /v1/accounts/:id/deposits', () => {
  const deposit = (accountId: string, key: string, amountCents: number) =>
    ledger.post(`/v1/accounts/${accountId}/deposits`, { key, body: { amountCents } });

  it('puts money in once, however often it is asked (H13)', async () => {
    const accountId = await ledger.openAccount(0);
    const key = uuidv7();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => deposit(accountId, key, 500)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 201,
      body: { depositId: key, accountId, amountCents: 500 },
    });
    expect((await ledger.get(`/v1/accounts/${accountId}`)).body).toMatchObject({
      availableCents: 500,
    });
  });

  it('refuses another amount or account under the same key', async () => {
    const [one, two] = [await ledger.openAccount(0), await ledger.openAccount(0)];
    const key = uuidv7();
    await deposit(one, key, 500);
    for (const answer of [await deposit(one, key, 501), await deposit(two, key, 500)]) {
      expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    }
    expect((await ledger.get(`/v1/accounts/${two}`)).body).toMatchObject({ availableCents: 0 });
  });

  it('needs an account', async () => {
    const answer = await deposit(uuidv7(), uuidv7(), 1);
    expect(answer).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
  });
});

describe('GET /v1/accounts/:id/entries', () => {
  it('gives every entry once, newest first, page after page', async () => {
    const accountId = await ledger.openAccount(10_000);
    for (let n = 0; n < 4; n += 1) {
      await ledger.post('/v1/transfers', { key: uuidv7(), body: transferTo(accountId) });
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await ledger.get(`/v1/accounts/${accountId}/entries?limit=2${cursor}`);
      const { entries, nextCursor } = page.body as {
        entries: { kind: string }[];
        nextCursor?: string;
      };
      seen.push(...entries.map(({ kind }) => kind));
      cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(['hold', 'hold', 'hold', 'hold', 'deposit']);
  });

  it('shows the postings of an entry', async () => {
    const accountId = await ledger.openAccount(700);
    const { body } = await ledger.get(`/v1/accounts/${accountId}/entries`);
    expect(body['entries']).toMatchObject([
      {
        kind: 'deposit',
        postings: [
          { book: 'funding', amountCents: -700 },
          { book: 'customer_available', amountCents: 700 },
        ],
      },
    ]);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=', 'colour=red', 'limit=1&limit=2'])(
    'refuses ?%s',
    async (query) => {
      const accountId = await ledger.openAccount(0);
      const answer = await ledger.get(`/v1/accounts/${accountId}/entries?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );

  it('refuses a cursor that it never gave', async () => {
    const accountId = await ledger.openAccount(0);
    const answer = await ledger.get(`/v1/accounts/${accountId}/entries?cursor=cDE7ZHJvcA`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'cursor_malformed' } });
  });
});

describe('GET /v1/books', () => {
  it('sums to zero, and the sums are those of the accounts', async () => {
    const { status, body } = await ledger.get('/v1/books');
    expect(status).toBe(200);
    const { books, balances, sumCents, violations } = body as never as {
      books: Record<string, number>;
      balances: Record<string, number>;
      sumCents: number;
      violations: unknown[];
    };
    expect(sumCents).toBe(0);
    expect(violations).toEqual([]);
    expect(balances).toEqual({
      availableCents: books['customer_available'],
      heldCents: books['customer_held'],
    });
    expect(books['funding']).toBeLessThan(0);
  });

  it('needs its own scope', async () => {
    const token = await ledger.mint({ scope: 'accounts:read' });
    expect(await ledger.get('/v1/books', { token })).toMatchObject({ status: 403 });
  });
});

describe('PUT /v1/accounts/:id/limits', () => {
  it('lowers at once, raises a day later, and tells both', async () => {
    const accountId = await ledger.openAccount(5_000, limits);
    const body = { perTransferCents: 500, dayCents: 9_000, nightCents: 3_000 };
    const answer = await ledger.put(`/v1/accounts/${accountId}/limits`, { body });
    const lowered = { ...limits, perTransferCents: 500 };
    const raisedLimits = { ...body, from: expect.stringMatching(/Z$/) };
    expect(answer).toMatchObject({ status: 200, body: { accountId, limits: lowered, raisedLimits } });
    expect((await ledger.get(`/v1/accounts/${accountId}`)).body).toMatchObject({ limits: lowered, raisedLimits });
    const again = await ledger.put(`/v1/accounts/${accountId}/limits`, { body });
    expect(again.body).toEqual(answer.body);
    const refused = await ledger.post('/v1/transfers', { key: uuidv7(), body: transferTo(accountId) });
    expect(refused.body).toMatchObject({ code: 'transfer_limit_exceeded' });
    const events = (await eventsOf(ledger)).filter(({ subject }) => subject === accountId);
    expect(events.map(({ type, sequence }) => [type, sequence])).toContainEqual(['compasso.ledger.limits-changed.v1', 3]);
    expect(events).toHaveLength(3);
  });

  it('leaves the answer to opening the account as it was', async () => {
    const key = uuidv7();
    const call = { key, body: { holderKind: 'natural', limits } };
    const first = await ledger.post('/v1/accounts', call);
    await ledger.put(`/v1/accounts/${key}/limits`, { body: { ...limits, dayCents: 1 } });
    const again = await ledger.post('/v1/accounts', call);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
  });

  it.each([[{ dayCents: -1 }], [{ dayCents: 0.5 }], [{ dayCents: '1' }], [{ dayCents: 1, more: 1 }], [{}]])(
    'refuses %j',
    async (body) => {
      const accountId = await ledger.openAccount(0, limits);
      const answer = await ledger.put(`/v1/accounts/${accountId}/limits`, { body });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );
});

describe('POST /v1/accounts/:id/block', () => {
  const reason = { body: { reason: 'suspected_takeover' } };

  it('refuses new transfers until it is undone; money still comes in', async () => {
    const accountId = await ledger.openAccount(5_000);
    const blocked = await ledger.post(`/v1/accounts/${accountId}/block`, reason);
    expect(blocked).toMatchObject({ status: 200, body: { accountId, state: 'blocked' } });
    const call = () => ledger.post('/v1/transfers', { key: uuidv7(), body: transferTo(accountId) });
    expect((await call()).body).toMatchObject({ code: 'account_blocked' });
    const deposit = { key: uuidv7(), body: { amountCents: 1 } };
    expect(await ledger.post(`/v1/accounts/${accountId}/deposits`, deposit)).toMatchObject({ status: 201 });
    const open = await ledger.post(`/v1/accounts/${accountId}/unblock`, { body: { reason: 'customer_identified' } });
    expect(open).toMatchObject({ status: 200, body: { state: 'open' } });
    expect(await call()).toMatchObject({ status: 202 });
    const types = (await eventsOf(ledger)).filter(({ subject }) => subject === accountId).map(({ type }) => type);
    expect(types).toEqual(
      expect.arrayContaining(['compasso.ledger.account-blocked.v1', 'compasso.ledger.account-unblocked.v1']),
    );
  });

  it('needs its own scope, an account that is there, and a code for a reason', async () => {
    const accountId = await ledger.openAccount(0);
    const token = await ledger.mint({ scope: 'accounts:write' });
    const path = `/v1/accounts/${accountId}/block`;
    expect(await ledger.post(path, { ...reason, token })).toMatchObject({ status: 403 });
    expect(await ledger.post(`/v1/accounts/${uuidv7()}/block`, reason)).toMatchObject({ status: 404 });
    expect(await ledger.post(path, { body: { reason: 'a text about Maria' } })).toMatchObject({ status: 400 });
  });
});
