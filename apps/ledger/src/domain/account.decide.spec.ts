import { centsOf } from '@compasso/kernel';
import { type AccountPage, type Deposit, evolveAccount } from './account.ts';
import { balanceCentsMax, decideAccount } from './account.decide.ts';
import { accountId, anAccount } from './transfer.story.ts';

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
