import { addCents, centsOf, unreachable } from '@compasso/kernel';
import type {
  Account,
  AccountCommandRefusal,
  AccountEvent,
  AccountPage,
  Deposit,
  HolderKind,
} from './account.ts';
import { isSameLimits, type Limits, type LimitsGiven, withLimits } from './limits.ts';

export type AccountCommand =
  | {
      readonly type: 'OpenAccount';
      readonly accountId: string;
      readonly holderKind: HolderKind;
      readonly limits: Limits;
    }
  | { readonly type: 'DepositFunds'; readonly deposit: Deposit }
  | { readonly type: 'SetLimits'; readonly accountId: string; readonly limits: Limits; readonly given: LimitsGiven }
  | { readonly type: 'BlockAccount' | 'UnblockAccount'; readonly accountId: string; readonly reason: string };

/** The largest balance that a JSON integer can tell without losing cents. */
export const balanceCentsMax = centsOf(Number.MAX_SAFE_INTEGER);

export function decideAccount(command: AccountCommand, page: AccountPage): readonly AccountEvent[] {
  switch (command.type) {
    case 'OpenAccount':
      return openAccount(command, page);
    case 'DepositFunds':
      return depositFunds(command.deposit, page);
    case 'SetLimits':
      return setLimits(command, page);
    case 'BlockAccount':
    case 'UnblockAccount':
      return setBlocked(command, page);
    default:
      return unreachable(command);
  }
}

function openAccount(
  { accountId, holderKind, limits }: Extract<AccountCommand, { type: 'OpenAccount' }>,
  { account }: AccountPage,
): readonly AccountEvent[] {
  if (account === undefined) return [{ type: 'AccountOpened', accountId, holderKind, limits }];
  return isSameAccount(account, holderKind, limits) ? [] : [refused('account_id_reused')];
}

function depositFunds(deposit: Deposit, page: AccountPage): readonly AccountEvent[] {
  if (page.deposit !== undefined) {
    return page.deposit.fingerprint === deposit.fingerprint ? [] : [refused('deposit_id_reused')];
  }
  if (page.account === undefined) return [refused('account_not_found')];
  // A blocked account takes money in: blocking keeps it from leaving.
  if (page.account.state === 'closed') return [refused('account_closed')];
  const total = addCents(addCents(page.account.available, page.account.held), deposit.amount);
  if (total > balanceCentsMax) return [refused('balance_limit_exceeded')];
  return [{ type: 'FundsDeposited', deposit }];
}

function setLimits(
  { accountId, limits, given }: Extract<AccountCommand, { type: 'SetLimits' }>,
  { account }: AccountPage,
): readonly AccountEvent[] {
  if (account === undefined) return [refused('account_not_found')];
  if (account.state === 'closed') return [refused('account_closed')];
  const kept = withLimits(account, limits, given);
  const isSame =
    isSameLimits(kept.limits, account.limits) &&
    kept.raised?.from === account.raised?.from &&
    isSameLimits(kept.raised?.limits ?? limits, account.raised?.limits ?? limits);
  return isSame ? [] : [{ type: 'LimitsChanged', accountId, ...kept }];
}

/** A blocked account refuses new holds; what is on hold still settles or comes back, and money still comes in. */
function setBlocked(
  { type, accountId, reason }: Extract<AccountCommand, { type: 'BlockAccount' | 'UnblockAccount' }>,
  { account }: AccountPage,
): readonly AccountEvent[] {
  if (account === undefined) return [refused('account_not_found')];
  if (account.state === 'closed') return [refused('account_closed')];
  if (type === 'BlockAccount') return account.state === 'blocked' ? [] : [{ type: 'AccountBlocked', accountId, reason }];
  return account.state === 'open' ? [] : [{ type: 'AccountUnblocked', accountId, reason }];
}

const isSameAccount = (account: Account, holderKind: HolderKind, limits: Limits): boolean =>
  account.holderKind === holderKind && isSameLimits(account.openedLimits, limits);

const refused = (reason: AccountCommandRefusal): AccountEvent => ({
  type: 'CommandRefused',
  reason,
});
