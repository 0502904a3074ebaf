import { addMilliseconds, centsOf, evolveAll } from '@compasso/kernel';
import { type AccountPage, type Deposit, evolveAccount } from './account.ts';
import { type AccountCommand, balanceCentsMax, decideAccount } from './account.decide.ts';
import { type Limits, limitsAt } from './limits.ts';
import { accountId, anAccount, noon } from './transfer.story.ts';

const limits = { perTransfer: centsOf(1), day: centsOf(2), night: centsOf(3) };
const open = { type: 'OpenAccount', accountId, holderKind: 'legal', limits } as const;
const deposit: Deposit = {
  depositId: 'd1',
  accountId,
  amount: centsOf(500),
  fingerprint: 'deposit.one',
};
const depositFunds = (changes: Partial<Deposit> = {}) =>
  ({ type: 'DepositFunds', deposit: { ...deposit, ...changes } }) as const;
const page = (changes: Partial<AccountPage> = {}): AccountPage => ({
  account: anAccount({ available: centsOf(0) }),
  deposit: undefined,
  ...changes,
});
const refused = (reason: string) => [{ type: 'CommandRefused', reason }];

describe('opening an account', () => {
  const opened = decideAccount(open, page({ account: undefined }))[0]!;

  it('opens it without money', () => {
    expect(opened).toEqual({ type: 'AccountOpened', accountId, holderKind: 'legal', limits });
    const after = evolveAccount(page({ account: undefined }), opened);
    expect(after.account).toMatchObject({ state: 'open', available: 0n, held: 0n });
  });

  it('says nothing the second time, and refuses other content', () => {
    const after = evolveAccount(page({ account: undefined }), opened);
    expect(decideAccount(open, after)).toEqual([]);
    expect(decideAccount({ ...open, holderKind: 'natural' }, after)).toEqual(
      refused('account_id_reused'),
    );
    const raised = { ...limits, night: centsOf(4) };
    expect(decideAccount({ ...open, limits: raised }, after)).toEqual(refused('account_id_reused'));
  });
});

describe('depositing', () => {
  it('adds to what is available, once (H13)', () => {
    const [event] = decideAccount(depositFunds(), page());
    const after = evolveAccount(page(), event!);
    expect(after.account).toMatchObject({ available: 500n, held: 0n });
    expect(decideAccount(depositFunds(), after)).toEqual([]);
    expect(decideAccount(depositFunds({ fingerprint: 'deposit.other' }), after)).toEqual(
      refused('deposit_id_reused'),
    );
  });

  it('needs an account that is not closed; a blocked one takes money in', () => {
    expect(decideAccount(depositFunds(), page({ account: undefined }))).toEqual(
      refused('account_not_found'),
    );
    const closed = page({ account: anAccount({ state: 'closed' }) });
    expect(decideAccount(depositFunds(), closed)).toEqual(refused('account_closed'));
    const blocked = page({ account: anAccount({ state: 'blocked' }) });
    expect(decideAccount(depositFunds(), blocked)).toMatchObject([{ type: 'FundsDeposited' }]);
  });

  it('keeps the whole balance within what JSON can tell', () => {
    const full = page({ account: anAccount({ available: balanceCentsMax, held: centsOf(0) }) });
    expect(decideAccount(depositFunds({ amount: centsOf(1) }), full)).toEqual(
      refused('balance_limit_exceeded'),
    );
    const room = page({
      account: anAccount({ available: centsOf(balanceCentsMax - 3n), held: centsOf(2) }),
    });
    expect(decideAccount(depositFunds({ amount: centsOf(1) }), room)).toMatchObject([
      { type: 'FundsDeposited' },
    ]);
  });
});

describe('limits', () => {
  const day = 86_400_000;
  const wanted = (changes: Partial<Limits> = {}): Limits => ({ ...anAccount().limits, ...changes });
  const set = (to: Limits, at = noon) =>
    ({ type: 'SetLimits', accountId, limits: to, given: { at, raiseAfterMs: day } }) as const;
  const after = (...commands: readonly AccountCommand[]): AccountPage =>
    commands.reduce((known, command) => evolveAll(evolveAccount, known, decideAccount(command, known)), page());
  const later = addMilliseconds(noon, 3_600_000);

  it('are lowered at once', () => {
    const lower = wanted({ day: centsOf(1) });
    expect(decideAccount(set(lower), page())).toEqual([
      { type: 'LimitsChanged', accountId, limits: lower, raised: null },
    ]);
  });

  it('are raised a day later, and what is lowered with it counts at once', () => {
    const both = wanted({ day: centsOf(90_000), night: centsOf(1) });
    const { account } = after(set(both));
    expect(limitsAt(account!, noon)).toEqual(wanted({ night: centsOf(1) }));
    expect(limitsAt(account!, addMilliseconds(noon, day - 1))).toEqual(wanted({ night: centsOf(1) }));
    expect(limitsAt(account!, addMilliseconds(noon, day))).toEqual(both);
  });

  it('do not wait anew when the same is wanted again, and are given up when less is wanted', () => {
    const higher = wanted({ day: centsOf(90_000) });
    expect(decideAccount(set(higher, later), after(set(higher)))).toEqual([]);
    const { account } = after(set(higher), set(wanted(), later));
    expect(limitsAt(account!, addMilliseconds(noon, 2 * day))).toEqual(wanted());
  });

  it('that were raised can be lowered and raised again from there', () => {
    const higher = wanted({ day: centsOf(90_000) });
    const muchLater = addMilliseconds(noon, 2 * day);
    const highest = wanted({ day: centsOf(99_000) });
    const { account } = after(set(higher), set(highest, muchLater));
    expect(limitsAt(account!, muchLater)).toEqual(higher);
    expect(limitsAt(account!, addMilliseconds(muchLater, day))).toEqual(highest);
  });

  it('leave the answer to opening the account as it was', () => {
    const opened = after(set(wanted({ day: centsOf(1) })));
    const again = { type: 'OpenAccount', accountId, holderKind: 'natural', limits: wanted() } as const;
    expect(decideAccount(again, opened)).toEqual([]);
  });

  it('belong to an account that is there and not closed', () => {
    expect(decideAccount(set(wanted()), page({ account: undefined }))).toEqual(refused('account_not_found'));
    const closed = page({ account: anAccount({ state: 'closed' }) });
    expect(decideAccount(set(wanted()), closed)).toEqual(refused('account_closed'));
  });
});

describe('blocking', () => {
  const block = { type: 'BlockAccount', accountId, reason: 'suspected_takeover' } as const;
  const unblock = { type: 'UnblockAccount', accountId, reason: 'customer_identified' } as const;
  const blocked = page({ account: anAccount({ state: 'blocked' }) });

  it('is said once, and so is its end', () => {
    expect(decideAccount(block, page())).toEqual([{ ...block, type: 'AccountBlocked' }]);
    expect(decideAccount(block, blocked)).toEqual([]);
    expect(decideAccount(unblock, blocked)).toEqual([{ ...unblock, type: 'AccountUnblocked' }]);
    expect(decideAccount(unblock, page())).toEqual([]);
  });

  it('is for accounts that are there and not closed', () => {
    expect(decideAccount(block, page({ account: undefined }))).toEqual(refused('account_not_found'));
    const closed = page({ account: anAccount({ state: 'closed' }) });
    expect(decideAccount(unblock, closed)).toEqual(refused('account_closed'));
  });
});
