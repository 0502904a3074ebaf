import { addCents, type Cents, invariant, unreachable, zeroCents } from '@compasso/kernel';
import { changeOf, depositEntry, type JournalEntry } from './journal.ts';
import type { KeptLimits, Limits } from './limits.ts';

export const accountStates = ['open', 'blocked', 'closed'] as const;
/** `blocked` refuses new holds only: what is on hold still settles or comes back. */
export type AccountState = (typeof accountStates)[number];

export const holderKinds = ['natural', 'legal'] as const;
export type HolderKind = (typeof holderKinds)[number];

export interface Account extends KeptLimits {
  readonly accountId: string;
  readonly holderKind: HolderKind;
  readonly state: AccountState;
  /** With which it was opened: what a repeated request to open it is compared with. */
  readonly openedLimits: Limits;
  readonly available: Cents;
  readonly held: Cents;
}

export interface Deposit {
  readonly depositId: string;
  readonly accountId: string;
  readonly amount: Cents;
  readonly fingerprint: string;
}

/** The page of the ledger that decisions about an account look at. */
export interface AccountPage {
  readonly account: Account | undefined;
  /** The deposit of the command at hand, if it was made already. */
  readonly deposit: Deposit | undefined;
}

export type AccountEvent =
  | {
      readonly type: 'AccountOpened';
      readonly accountId: string;
      readonly holderKind: HolderKind;
      readonly limits: Limits;
    }
  | { readonly type: 'FundsDeposited'; readonly deposit: Deposit }
  | ({ readonly type: 'LimitsChanged'; readonly accountId: string } & KeptLimits)
  | { readonly type: 'AccountBlocked'; readonly accountId: string; readonly reason: string }
  | { readonly type: 'AccountUnblocked'; readonly accountId: string; readonly reason: string }
  | { readonly type: 'CommandRefused'; readonly reason: AccountCommandRefusal };

export type AccountCommandRefusal =
  | 'account_id_reused'
  | 'account_not_found'
  | 'account_closed'
  | 'deposit_id_reused'
  | 'balance_limit_exceeded';

export function evolveAccount(page: AccountPage, event: AccountEvent): AccountPage {
  switch (event.type) {
    case 'AccountOpened': {
      const { accountId, holderKind, limits } = event;
      const balances = { available: zeroCents, held: zeroCents };
      const kept = { openedLimits: limits, limits, raised: null };
      return { ...page, account: { accountId, holderKind, ...kept, state: 'open', ...balances } };
    }
    case 'FundsDeposited': {
      invariant(page.account !== undefined, 'money is put into an account');
      return { account: post(page.account, depositEntry(event.deposit)), deposit: event.deposit };
    }
    case 'LimitsChanged':
      return { ...page, account: { ...known(page), limits: event.limits, raised: event.raised } };
    case 'AccountBlocked':
      return { ...page, account: { ...known(page), state: 'blocked' } };
    case 'AccountUnblocked':
      return { ...page, account: { ...known(page), state: 'open' } };
    case 'CommandRefused':
      return page;
    default:
      return unreachable(event);
  }
}

function known({ account }: AccountPage): Account {
  invariant(account !== undefined, 'an account that changes exists');
  return account;
}

/** The only way in which a balance changes. */
export function post(account: Account, entry: JournalEntry): Account {
  invariant(entry.accountId === account.accountId, 'an entry is posted to its own account');
  const available = addCents(account.available, changeOf(entry, 'customer_available'));
  const held = addCents(account.held, changeOf(entry, 'customer_held'));
  const facts = { accountId: account.accountId, kind: entry.kind };
  invariant(available >= zeroCents, 'no customer account is ever negative', facts);
  invariant(held >= zeroCents, 'no more is let go than was held', facts);
  return { ...account, available, held };
}
