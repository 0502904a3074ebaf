import { uuidv7 } from 'uuidv7';
import {
  deadLetterOpened,
  happyPath,
  payerAccount,
  transfer,
} from '../transfer-messages.fixture.ts';
import { trackerHttp, type TrackerHttp } from './tracker-http.fixture.ts';

let api: TrackerHttp;
beforeAll(async () => (api = await trackerHttp()));
afterAll(() => api.close());

const inAccount = (accountId = uuidv7()) => ({ accountId, one: transfer(uuidv7(), accountId) });

describe('GET /v1/transfers/:id', () => {
  it('tells where a transfer stands, in words for programs and for people', async () => {
    const { accountId, one } = inAccount();
    await api.tracker.receive(...happyPath(one));
    const answer = await api.get(`/v1/transfers/${one.transferId}`);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        transferId: one.transferId,
        accountId,
        state: 'completed',
        money: 'settled',
        certainty: 'confirmed',
        attention: 'none',
        amountCents: 12_345,
        payee: { kind: 'key', keyType: 'cpf', keyMasked: '***456789**' },
        clientReference: 'order-7',
        requestedBy: 'client.shop',
        metadata: { invoice: '42' },
        projection: 1,
        version: 6,
        flags: { offScore: false, sequenceConflict: false, afterTheEnd: false, gap: false },
        traceId: one.transferId.replaceAll('-', ''),
        labels: { en: 'Completed', 'pt-BR': 'Concluída' },
      },
    });
    expect(answer.body).not.toHaveProperty('next');
    expect(answer.body).not.toHaveProperty('reason');
  });

  it('tells what comes next, by when, and whose turn it is', async () => {
    const { one } = inAccount();
    await api.tracker.receive(one.reserved(1), one.authorized(2));
    const { body } = await api.get(`/v1/transfers/${one.transferId.toUpperCase()}`);
    expect(body).toMatchObject({
      state: 'funds_reserved',
      next: { step: 'send', owner: 'payout-gateway', by: '2026-11-30T12:15:00.000Z' },
    });
  });

  it('says as of when, once all was read', async () => {
    const { one } = inAccount();
    await api.tracker.receive(one.refused(1));
    const before = Date.now();
    await api.tracker.consumeAll();
    await api.tracker.judge();
    const { body } = await api.get(`/v1/transfers/${one.transferId}`);
    expect(Date.parse(body['asOf'] as string)).toBeGreaterThanOrEqual(before - 1_000);
    expect(body).toMatchObject({ state: 'refused', reason: 'insufficient_funds', money: 'none' });
  });

  it('knows no transfer that it has not read, and says how far it is', async () => {
    await api.tracker.judge();
    const answer = await api.get(`/v1/transfers/${uuidv7()}`);
    expect(answer).toMatchObject({
      status: 404,
      type: expect.stringContaining('application/problem+json') as string,
      body: { code: 'transfer_not_found' },
    });
    expect(answer.body).toHaveProperty('asOf');
    expect(answer.body['detail']).toContain('asOf');
  });

  it('shows a transfer only to whom it belongs', async () => {
    const { accountId, one } = inAccount();
    await api.tracker.receive(one.reserved(1));
    const own = await api.mint({ accounts: [accountId] });
    const foreign = await api.mint({ accounts: [payerAccount] });
    const path = `/v1/transfers/${one.transferId}`;
    expect((await api.get(path, own)).status).toBe(200);
    for (const hidden of [path, `${path}/timeline`]) {
      expect(await api.get(hidden, foreign)).toMatchObject({
        status: 404,
        body: { code: 'transfer_not_found' },
      });
    }
  });
});

describe('GET /v1/transfers/:id/timeline', () => {
  it('tells each step in causal order, with cause, duration and what it undoes', async () => {
    const { one } = inAccount();
    const request = one.requested();
    const reserved = one.reserved(1, request);
    const authorized = one.authorized(2, request);
    const rejected = one.rejected(2, authorized);
    const released = one.released(3, rejected);
    // Read in another order than told.
    await api.tracker.publish(request, reserved, authorized, one.submitted(1, authorized));
    await api.tracker.publish(rejected, released);
    await api.tracker.consumeAll();
    const { body } = await api.get(`/v1/transfers/${one.transferId}/timeline`);
    const steps = body['steps'] as Record<string, unknown>[];
    expect(steps.map(({ event }) => event)).toEqual([
      'transfer.requested',
      'ledger.funds-reserved',
      'ledger.payout-authorized',
      'payout.submitted',
      'payout.rejected',
      'ledger.funds-released',
    ]);
    expect(steps[0]).toMatchObject({ service: 'team:acme', offScore: false });
    expect(steps[0]).not.toHaveProperty('cause');
    expect(steps[3]).toMatchObject({
      service: 'payout-gateway',
      sequence: 1,
      attempt: 1,
      answers: { provider: 'reference', reviewAt: '2026-11-30T13:30:00.000Z' },
      cause: { eventId: authorized.headers['ce_id'], event: 'ledger.payout-authorized' },
      durationMs: expect.any(Number) as number,
      traceId: one.transferId.replaceAll('-', ''),
    });
    expect(steps[4]).toMatchObject({ answers: { code: 'AC03', evidence: 'query' } });
    expect(steps[5]).toMatchObject({
      undoes: { event: 'ledger.funds-reserved', eventId: reserved.headers['ce_id'] },
      cause: { event: 'payout.rejected' },
    });
    expect(body['transfer']).toMatchObject({ state: 'compensated', money: 'released' });
    expect(JSON.stringify(body)).not.toContain('sealed');
  });

  it('flags what is off score, and hides what a stranger asked for', async () => {
    const { one } = inAccount();
    const stranger = transfer(one.transferId, uuidv7());
    const claim = stranger.requested();
    const request = one.requested();
    const odd = one.settled(2, request);
    await api.tracker.receive(claim, request, one.reserved(1, request), odd);
    const { body } = await api.get(`/v1/transfers/${one.transferId}/timeline`);
    const steps = body['steps'] as { eventId: string; offScore: boolean }[];
    expect(steps.map(({ eventId }) => eventId)).not.toContain(claim.headers['ce_id']);
    expect(steps.filter(({ offScore }) => offScore).map(({ eventId }) => eventId)).toEqual([
      odd.headers['ce_id'],
    ]);
    expect(body['transfer']).toMatchObject({ flags: { offScore: true } });
  });

  it('tells why a command was refused', async () => {
    const { one } = inAccount();
    const request = one.requested();
    await api.tracker.receive(request, one.commandRefused(request, 'account_not_allowed'));
    const { body } = await api.get(`/v1/transfers/${one.transferId}/timeline`);
    expect((body['steps'] as object[])[1]).toMatchObject({
      event: 'ledger.command-refused',
      answers: { reason: 'account_not_allowed' },
      cause: { event: 'transfer.requested' },
    });
    expect(body['transfer']).toMatchObject({
      state: 'started',
      reason: 'account_not_allowed',
      labels: { en: 'The request was not accepted' },
    });
  });
});

describe('GET /v1/transfers', () => {
  const accountId = uuidv7();
  const own = Array.from({ length: 7 }, () => transfer(uuidv7(), accountId));
  beforeAll(async () => {
    await api.tracker.publish(...own.slice(0, 4).flatMap(happyPath));
    await api.tracker.publish(...own.slice(4).map((one) => one.reserved(1)));
    await api.tracker.consumeAll();
  });

  const page = async (query: string, token?: string) => {
    const { body } = await api.get(`/v1/transfers?${query}`, token);
    const transfers = body['transfers'] as { transferId: string; startedAt: string; state: string }[];
    return { transfers, nextCursor: body['nextCursor'] as string | undefined };
  };

  it('goes through everything once, newest first, page by page', async () => {
    const seen: { transferId: string; startedAt: string }[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const next = await page(`accountId=${accountId}&limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...next.transfers);
      cursor = next.nextCursor;
    }
    expect(seen.map(({ transferId }) => transferId).sort()).toEqual(
      own.map(({ transferId }) => transferId).sort(),
    );
    const starts = seen.map(({ startedAt }) => startedAt);
    expect(starts).toEqual([...starts].sort().reverse());
  });

  it('filters by state and attention', async () => {
    const done = await page(`accountId=${accountId}&state=completed`);
    expect(done.transfers).toHaveLength(4);
    const fine = await page(`accountId=${accountId}&state=funds_reserved&attention=none`);
    expect(fine.transfers).toHaveLength(3);
    expect((await page(`accountId=${accountId}&attention=stuck`)).transfers).toEqual([]);
  });

  it('shows only the accounts of the token', async () => {
    const token = await api.mint({ accounts: [accountId] });
    expect((await page('limit=200', token)).transfers).toHaveLength(7);
    const foreign = await api.get(`/v1/transfers?accountId=${payerAccount}`, token);
    expect(foreign).toMatchObject({ status: 403, body: { code: 'account_not_allowed' } });
  });
});

describe('GET /v1/cases', () => {
  it('lists what waits for a person', async () => {
    const { accountId, one } = inAccount();
    const required = one.reviewRequired(1);
    await api.tracker.receive(one.reserved(1), required, deadLetterOpened(uuidv7(), uuidv7()));
    const token = await api.mint({ accounts: [accountId] });
    const { body } = await api.get('/v1/cases?state=open', token);
    expect(body['cases']).toEqual([
      {
        caseId: required.headers['ce_id'],
        kind: 'payout_review',
        service: 'payout-gateway',
        reason: 'deadline_passed',
        transferId: one.transferId,
        accountId,
        state: 'open',
        openedAt: expect.any(String) as string,
      },
    ]);
    const all = await api.get('/v1/cases?limit=1');
    expect(all.body['cases']).toHaveLength(1);
    const next = await api.get(`/v1/cases?limit=1&cursor=${String(all.body['nextCursor'])}`);
    expect(next.body['cases']).not.toEqual(all.body['cases']);
  });
});

it('GET /v1/score tells the whole flow', async () => {
  const { body } = await api.get('/v1/score');
  const steps = body['steps'] as { event: string }[];
  expect(steps.map(({ event }) => event)).toContain('ledger.payout-authorized');
});

describe('what is refused', () => {
  it.each([
    ['/v1/transfers/not-a-uuid', 400, 'invalid_request'],
    ['/v1/transfers/00000000-0000-0000-0000-000000000000', 400, 'invalid_request'],
    ['/v1/transfers/%ff', 400, 'malformed_url'],
    ['/v1/transfers?limit=0', 400, 'invalid_request'],
    ['/v1/transfers?limit=201', 400, 'invalid_request'],
    ['/v1/transfers?limit=1e1', 400, 'invalid_request'],
    ['/v1/transfers?limit=1&limit=2', 400, 'invalid_request'],
    ['/v1/transfers?state=done', 400, 'invalid_request'],
    ['/v1/transfers?attention=everything', 400, 'invalid_request'],
    ['/v1/transfers?accountId=1', 400, 'invalid_request'],
    ['/v1/transfers?colour=red', 400, 'invalid_request'],
    ['/v1/transfers?cursor=abc', 400, 'cursor_malformed'],
    ['/v1/transfers?cursor=', 400, 'invalid_request'],
    ['/v1/cases?state=none', 400, 'invalid_request'],
    ['/v1/cases?cursor=%00', 400, 'cursor_malformed'],
    ['/v1/nothing', 404, 'not_found'],
  ])('%s: %s %s', async (path, status, code) => {
    const answer = await api.get(path);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.type).toContain('application/problem+json');
    const sentences = answer.body['messages'] as Record<string, string>;
    expect(Object.keys(sentences).sort()).toEqual(['en', 'pt-BR']);
  });

  it('asks for a good token with the right scope', async () => {
    const path = '/v1/transfers';
    const cases: readonly [string | null, number, string][] = [
      [null, 401, 'token_missing'],
      ['garbage', 401, 'token_invalid'],
      [await api.mint({}, '-1h'), 401, 'token_expired'],
      [await api.mint({ scope: 'cases:read' }), 403, 'scope_missing'],
    ];
    for (const [token, status, code] of cases) {
      expect(await api.get(path, token)).toMatchObject({ status, body: { code } });
    }
    const noCases = await api.mint({ scope: 'transfers:read' });
    expect((await api.get('/v1/cases', noCases)).status).toBe(403);
    expect((await api.get('/v1/score', noCases)).status).toBe(200);
  });
});
