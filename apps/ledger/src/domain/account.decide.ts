import { addCents, centsOf, unreachable } from '@compasso/kernel';
import type {
  Account,
  AccountCommandRefusal,
  AccountEvent,
  AccountPage,
  Deposit,
  HolderKind,
  Limits,
} from './account.ts';

export type AccountCommand =
  | {
      readonly type: 'OpenAccount';
      readonly accountId: string;
      readonly holderKind: HolderKind;
      readonly limits: Limits;
    }
  | { readonly type: 'DepositFunds'; readonly deposit: Deposit };

/** The largest balance that a JSON integer can tell without losing cents. */
export const balanceCentsMax = centsOf(Number.MAX_SAFE_INTEGER);

export function decideAccount(command: AccountCommand, page: AccountPage): readonly AccountEvent[] {
  switch (command.type) {
    case 'OpenAccount':
      return openAccount(command, page);
    case 'DepositFunds':
      return depositFunds(command.deposit, page);
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

const isSameAccount = (account: Account, holderKind: HolderKind, limits: Limits): boolean =>
  account.holderKind === holderKind &&
  account.limits.perTransfer === limits.perTransfer &&
  account.limits.day === limits.day &&
  account.limits.night === limits.night;

const refused = (reason: AccountCommandRefusal): AccountEvent => ({
  type: 'CommandRefused',
  reason,
});
