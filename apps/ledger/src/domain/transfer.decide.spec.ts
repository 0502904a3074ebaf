import { addMilliseconds, centsOf, type Instant, instantFromWire } from '@compasso/kernel';
import {
  aHold,
  anAccount,
  aRequest,
  cancel,
  given,
  givenAt,
  noon,
  otherAccountId,
  release,
  request,
  settle,
} from './transfer.story.ts';
import type { TransferEvent } from './transfer.ts';
import type { RequestTransfer } from './transfer.decide.ts';

const sendBefore = addMilliseconds(noon, 900_000);
const refused = (reason: string): TransferEvent =>
  ({ type: 'TransferRefused', request: aRequest(), reason }) as TransferEvent;
const contradiction = (rule: string): TransferEvent =>
  ({ type: 'ContradictionSeen', rule }) as TransferEvent;

describe('requesting a transfer', () => {
  it('holds the money and permits sending in one decision', () => {
    given()
      .when(request())
      .then(
        { type: 'FundsReserved', hold: aHold() },
        { type: 'PayoutAuthorized', hold: aHold(), sendBefore },
      );
  });

  it('moves amount and fee to held, as lines of their own', () => {
    const policy = { fee: centsOf(35), sendWithinMs: 900_000 };
    const { page } = given().when(request({ given: givenAt(noon, { policy }) }));
    expect(page.account).toMatchObject({ available: 18_965n, held: 1_035n });
    expect(page.used).toEqual(new Map([['day:2026-11-30', 1_000n]]));
  });

  it('says nothing the second time', () => {
    given().when(request(), request()).then();
  });

  it('gives the same silence to a repeated refusal', () => {
    const poor = { account: anAccount({ available: centsOf(999) }) };
    given(poor).when(request()).then(refused('insufficient_funds'));
    given(poor).when(request(), request()).then();
  });

  it('refuses other content under a known id without touching the transfer (H6)', () => {
    const other = request({ request: aRequest({ fingerprint: 'http.other' }) });
    const story = given().when(request(), other);
    story.then({ type: 'CommandRefused', reason: 'transfer_id_reused' });
    expect(story.page.transfer.state).toBe('authorized');
  });

  it('refuses a requester that may not debit the account before anything else', () => {
    given({ account: undefined })
      .when(request({ mayDebit: false }))
      .then({ type: 'CommandRefused', reason: 'account_not_allowed' });
  });

  it('refuses the command, not a transfer, for an unknown account', () => {
    given({ account: undefined })
      .when(request())
      .then({ type: 'CommandRefused', reason: 'account_not_found' });
  });

  it.each(['blocked', 'closed'] as const)('refuses a new hold on a %s account', (state) => {
    given({ account: anAccount({ state }) })
      .when(request())
      .then(refused(`account_${state}`));
  });

  it('needs amount and fee to be there', () => {
    const policy = { fee: centsOf(1), sendWithinMs: 900_000 };
    const exact = { account: anAccount({ available: centsOf(1_000) }) };
    given(exact)
      .when(request({ given: givenAt(noon, { policy }) }))
      .then(refused('insufficient_funds'));
    expect(given(exact).when(request()).page.account).toMatchObject({
      available: 0n,
      held: 1_000n,
    });
  });
});

describe('until when', () => {
  it('refuses a request whose time has passed, by the clock of the database', () => {
    given()
      .when(request({ notAfter: noon }))
      .then(refused('not_after_passed'));
  });

  it('never lets the gateway send after notAfter', () => {
    const soon = addMilliseconds(noon, 1_000);
    const late = addMilliseconds(noon, 9_000_000);
    expect(given().when(request({ notAfter: soon })).page.transfer).toMatchObject({
      sendBefore: soon,
    });
    expect(given().when(request({ notAfter: late })).page.transfer).toMatchObject({ sendBefore });
  });
});

describe('limits', () => {
  const evening = instantFromWire('2026-11-30T21:00:00-03:00');
  const atNight = (changes: Partial<RequestTransfer> = {}) =>
    request({ given: givenAt(evening), ...changes });
  const used = (bucket: string, cents: number) => ({ used: new Map([[bucket, centsOf(cents)]]) });

  it('allows exactly the limit per transfer, and no cent more', () => {
    const limits = (perTransfer: number) => ({
      account: anAccount({
        limits: { ...anAccount().limits, perTransfer: centsOf(perTransfer) },
      }),
    });
    expect(given(limits(1_000)).when(request()).page.transfer.state).toBe('authorized');
    given(limits(999)).when(request()).then(refused('transfer_limit_exceeded'));
  });

  it('counts raised limits from their instant on, by the clock of the database', () => {
    const raised = (from: Instant) => ({
      account: anAccount({
        limits: { ...anAccount().limits, perTransfer: centsOf(1) },
        raised: { limits: anAccount().limits, from },
      }),
    });
    expect(given(raised(noon)).when(request()).page.transfer.state).toBe('authorized');
    given(raised(addMilliseconds(noon, 1))).when(request()).then(refused('transfer_limit_exceeded'));
  });

  it('adds up over the day', () => {
    expect(given(used('day:2026-11-30', 49_000)).when(request()).page.transfer.state).toBe(
      'authorized',
    );
    given(used('day:2026-11-30', 49_001)).when(request()).then(refused('day_limit_exceeded'));
  });

  it('adds up over the night, in the bucket of the evening on which it began', () => {
    const { page } = given().when(atNight());
    expect(page.used).toEqual(
      new Map([
        ['night:2026-11-30', 1_000n],
        ['day:2026-11-30', 1_000n],
      ]),
    );
    given(used('night:2026-11-30', 4_001)).when(atNight()).then(refused('night_limit_exceeded'));
  });

  it('spares a payee that is known to be a legal person the night limit', () => {
    const company = aRequest({ payee: { keyType: 'cnpj', keyMasked: 'x', sealed: 'a.b.c.d.e' } });
    const { page } = given(used('night:2026-11-30', 4_900)).when(atNight({ request: company }));
    expect(page.transfer).toMatchObject({
      state: 'authorized',
      hold: { buckets: ['day:2026-11-30'] },
    });
  });

  it('gives back to the buckets that the hold used, whatever day it is by then (H9)', () => {
    const { page } = given(used('night:2026-11-30', 700)).when(atNight(), release());
    expect(page.used).toEqual(
      new Map([
        ['night:2026-11-30', 700n],
        ['day:2026-11-30', 0n],
      ]),
    );
  });
});

describe('settling on proof of paid', () => {
  it('moves the held money out, once', () => {
    const story = given().when(request(), settle());
    story.then({ type: 'TransferSettled', hold: aHold(), endToEndId: 'E1' });
    expect(story.page.account).toMatchObject({ available: 19_000n, held: 0n });
    given().when(request(), settle(), settle()).then();
  });

  it('settles on a blocked account too', () => {
    const blocked = { account: anAccount({ state: 'blocked', held: centsOf(1_000) }) };
    const held: TransferEvent = { type: 'PayoutAuthorized', hold: aHold(), sendBefore };
    given(blocked, held)
      .when(settle())
      .then({ type: 'TransferSettled', hold: aHold(), endToEndId: 'E1' });
  });

  it('never settles another amount than was held (H10)', () => {
    const story = given().when(request(), settle({ amount: centsOf(100_000) }));
    story.then(contradiction('confirmed_amount_differs'));
    expect(story.page).toMatchObject({
      transfer: { state: 'authorized' },
      account: { held: 1_000n },
    });
  });

  it.each([
    [
      'of another account',
      [request(), settle({ accountId: otherAccountId })],
      'confirmed_account_differs',
    ],
    ['after a release', [request(), release(), settle()], 'confirmed_after_release'],
    [
      'under another end-to-end id',
      [request(), settle(), settle({ endToEndId: 'E2' })],
      'confirmed_under_other_end_to_end_id',
    ],
    ['of a refused transfer', [request({ notAfter: noon }), settle()], 'confirmed_without_hold'],
  ])('takes proof %s for a contradiction, never for a transition', (_, commands, rule) => {
    given()
      .when(...commands)
      .then(contradiction(rule));
  });

  it('stops at proof about a transfer that it never had', () => {
    expect(() => given().when(settle())).toThrow(
      expect.objectContaining({ code: 'transfer_unknown' }),
    );
  });
});

describe('releasing on proof of not paid', () => {
  it('gives amount, fee and limits back, once', () => {
    const policy = { fee: centsOf(35), sendWithinMs: 900_000 };
    const asked = request({ given: givenAt(noon, { policy }) });
    const story = given().when(asked, release());
    story.then({ type: 'FundsReleased', hold: aHold({ fee: centsOf(35) }), reason: 'AC03' });
    expect(story.page.account).toMatchObject({ available: 20_000n, held: 0n });
    given()
      .when(asked, release(), release({ reason: 'AB03' }))
      .then();
  });

  it.each([
    [
      'of another account',
      [request(), release({ accountId: otherAccountId })],
      'rejected_account_differs',
    ],
    ['of another amount', [request(), release({ amount: centsOf(1) })], 'rejected_amount_differs'],
    ['after a settlement', [request(), settle(), release()], 'rejected_after_settlement'],
    ['of a refused transfer', [request({ notAfter: noon }), release()], 'rejected_without_hold'],
  ])('takes proof %s for a contradiction, never for a transition', (_, commands, rule) => {
    given()
      .when(...commands)
      .then(contradiction(rule));
  });

  it('stops at proof about a transfer that it never had', () => {
    expect(() => given().when(release())).toThrow(
      expect.objectContaining({ code: 'transfer_unknown' }),
    );
  });
});

describe('cancelling', () => {
  const commandRefused = (reason: string): TransferEvent =>
    ({ type: 'CommandRefused', reason }) as TransferEvent;

  it('before the request refuses the request, for ever', () => {
    given().when(cancel()).then({ type: 'CancellationKept', requestedBy: 'client.shop' });
    given().when(cancel(), cancel()).then();
    const story = given().when(cancel(), request());
    story.then(refused('cancelled_by_requester'));
    expect(story.page.account).toMatchObject({ held: 0n });
    given().when(cancel(), request(), request(), cancel()).then();
  });

  it('before the pivot gives everything back at once', () => {
    const reserved: TransferEvent = { type: 'FundsReserved', hold: aHold() };
    const story = given({}, reserved).when(cancel());
    story.then({ type: 'FundsReleased', hold: aHold(), reason: 'cancelled_by_requester' });
    expect(story.page).toMatchObject({
      transfer: { state: 'released', sendBefore: null },
      account: { available: 20_000n, held: 0n },
    });
  });

  it('after the pivot keeps the hold and asks the gateway, each time', () => {
    const story = given().when(request(), cancel(), cancel());
    story.then({ type: 'PayoutCancelRequested', hold: aHold() });
    expect(story.page).toMatchObject({ transfer: { state: 'authorized' }, account: { held: 1_000n } });
    given()
      .when(request(), cancel(), settle())
      .then({ type: 'TransferSettled', hold: aHold(), endToEndId: 'E1' });
  });

  it('is too late once it is paid, and needless once it is undone', () => {
    given().when(request(), settle(), cancel()).then(commandRefused('transfer_already_settled'));
    given().when(request(), release(), cancel()).then();
    given().when(request({ notAfter: noon }), cancel()).then();
  });

  it('is only for those who may debit the account of the transfer', () => {
    given().when(cancel({ mayDebit: false })).then(commandRefused('account_not_allowed'));
    given({ account: undefined }).when(cancel()).then(commandRefused('account_not_found'));
    given()
      .when(request(), cancel({ accountId: otherAccountId }))
      .then(commandRefused('transfer_not_of_account'));
  });
});

describe('a hold that is not authorised yet', () => {
  const reserved: TransferEvent = { type: 'FundsReserved', hold: aHold() };

  it('neither settles nor is released by the gateway', () => {
    given({}, reserved).when(settle()).then(contradiction('confirmed_before_authorization'));
    given({}, reserved).when(release()).then(contradiction('rejected_before_authorization'));
  });
});
