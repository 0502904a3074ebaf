import {
  addCents,
  type Cents,
  type Instant,
  invariant,
  subtractCents,
  unreachable,
  zeroCents,
} from '@compasso/kernel';
import { type Account, post } from './account.ts';
import {
  type HeldMoney,
  holdEntry,
  type JournalEntry,
  releaseEntry,
  settleEntry,
} from './journal.ts';

export const keyTypes = ['cpf', 'cnpj', 'phone', 'email', 'evp'] as const;
export type KeyType = (typeof keyTypes)[number];

/** The ledger knows the mask and the envelope; only the payout gateway can open it. */
export interface Payee {
  readonly keyType: KeyType;
  readonly keyMasked: string;
  readonly sealed: string;
}

export interface TransferRequest {
  readonly transferId: string;
  readonly accountId: string;
  readonly amount: Cents;
  readonly payee: Payee;
  /**
   * Of account, amount and payee: two requests under one id are the same if and only if this is.
   */
  readonly fingerprint: string;
  readonly requestedBy: string;
  readonly clientReference: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  /** Of the request: what others ask about the transfer later belongs to its trace, not to theirs. */
  readonly traceparent: string | undefined;
}

export interface Hold {
  readonly request: TransferRequest;
  readonly fee: Cents;
  /**
   * The limits that this hold used: a release gives back to these, whatever day it is by then
   * (attack H9).
   */
  readonly buckets: readonly string[];
}

export type Transfer =
  | { readonly state: 'none' }
  | { readonly state: 'refused'; readonly request: TransferRequest; readonly reason: RefusalReason }
  | { readonly state: 'reserved'; readonly hold: Hold }
  | { readonly state: 'authorized'; readonly hold: Hold; readonly sendBefore: Instant }
  | {
      readonly state: 'settled';
      readonly hold: Hold;
      readonly sendBefore: Instant;
      readonly endToEndId: string;
    }
  | {
      readonly state: 'released';
      readonly hold: Hold;
      /** Null when it was released before the pivot. */
      readonly sendBefore: Instant | null;
      readonly reason: string;
    };

export const refusalReasons = [
  'account_blocked',
  'account_closed',
  'not_after_passed',
  'transfer_limit_exceeded',
  'day_limit_exceeded',
  'night_limit_exceeded',
  'insufficient_funds',
  'cancelled_by_requester',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/**
 * The command was not taken: nothing became of it, and the transfer of that id (if there is one)
 * does not hear of it.
 */
export const commandRefusals = [
  'account_not_allowed',
  'account_not_found',
  'transfer_id_reused',
  'transfer_not_of_account',
  'transfer_already_settled',
] as const;
export type CommandRefusal = (typeof commandRefusals)[number];

/** Proof that does not fit what we hold. Never a transition. */
export const contradictions = [
  'confirmed_amount_differs',
  'confirmed_account_differs',
  'confirmed_before_authorization',
  'confirmed_after_release',
  'confirmed_without_hold',
  'confirmed_under_other_end_to_end_id',
  'rejected_amount_differs',
  'rejected_account_differs',
  'rejected_before_authorization',
  'rejected_after_settlement',
  'rejected_without_hold',
] as const;
export type Contradiction = (typeof contradictions)[number];

export type TransferEvent =
  | { readonly type: 'FundsReserved'; readonly hold: Hold }
  | { readonly type: 'PayoutAuthorized'; readonly hold: Hold; readonly sendBefore: Instant }
  | {
      readonly type: 'TransferRefused';
      readonly request: TransferRequest;
      readonly reason: RefusalReason;
    }
  | { readonly type: 'CommandRefused'; readonly reason: CommandRefusal }
  /** There is no such transfer yet; when it is asked for, it is refused. */
  | { readonly type: 'CancellationKept'; readonly requestedBy: string }
  /** After the pivot: whether anything has left is the gateway's to know. */
  | { readonly type: 'PayoutCancelRequested'; readonly hold: Hold }
  | { readonly type: 'TransferSettled'; readonly hold: Hold; readonly endToEndId: string }
  | { readonly type: 'FundsReleased'; readonly hold: Hold; readonly reason: string }
  | { readonly type: 'ContradictionSeen'; readonly rule: Contradiction };

/** The page of the ledger that decisions about one transfer look at. */
export interface TransferPage {
  readonly transfer: Transfer;
  readonly account: Account | undefined;
  /** Whether this account has cancelled the transfer, perhaps before it was asked for. */
  readonly isCancelled: boolean;
  /** What the account has used of its limits, by bucket; nothing means none. */
  readonly used: ReadonlyMap<string, Cents>;
}

export function evolveTransfer(page: TransferPage, event: TransferEvent): TransferPage {
  const posted = {
    account: postTo(page.account, entryOf(event)),
    used: usedAfter(page.used, event),
    isCancelled: page.isCancelled || event.type === 'CancellationKept',
  };
  return { ...posted, transfer: transferAfter(page.transfer, event) };
}

/** The journal entry of an event that moves money. */
export function entryOf(event: TransferEvent): JournalEntry | undefined {
  switch (event.type) {
    case 'FundsReserved':
      return holdEntry(moneyOf(event.hold));
    case 'TransferSettled':
      return settleEntry(moneyOf(event.hold));
    case 'FundsReleased':
      return releaseEntry(moneyOf(event.hold));
    default:
      return undefined;
  }
}

function transferAfter(transfer: Transfer, event: TransferEvent): Transfer {
  switch (event.type) {
    case 'FundsReserved':
      return { state: 'reserved', hold: event.hold };
    case 'PayoutAuthorized':
      return { state: 'authorized', hold: event.hold, sendBefore: event.sendBefore };
    case 'TransferRefused':
      return { state: 'refused', request: event.request, reason: event.reason };
    case 'TransferSettled':
      return { ...authorized(transfer), state: 'settled', endToEndId: event.endToEndId };
    case 'FundsReleased':
      return released(transfer, event.reason);
    case 'CancellationKept':
    case 'PayoutCancelRequested':
    case 'CommandRefused':
    case 'ContradictionSeen':
      return transfer;
    default:
      return unreachable(event);
  }
}

function released(transfer: Transfer, reason: string): Transfer {
  if (transfer.state === 'reserved') {
    return { state: 'released', hold: transfer.hold, sendBefore: null, reason };
  }
  return { ...authorized(transfer), state: 'released', reason };
}

function authorized(transfer: Transfer): { readonly hold: Hold; readonly sendBefore: Instant } {
  invariant(transfer.state === 'authorized', 'only an authorised hold ends', {
    state: transfer.state,
  });
  return { hold: transfer.hold, sendBefore: transfer.sendBefore };
}

function postTo(
  account: Account | undefined,
  entry: JournalEntry | undefined,
): Account | undefined {
  if (entry === undefined) return account;
  invariant(account !== undefined, 'money moves in an account');
  return post(account, entry);
}

function usedAfter(
  used: ReadonlyMap<string, Cents>,
  event: TransferEvent,
): ReadonlyMap<string, Cents> {
  if (event.type !== 'FundsReserved' && event.type !== 'FundsReleased') return used;
  const { request, buckets } = event.hold;
  const change = event.type === 'FundsReserved' ? addCents : subtractCents;
  const after = new Map(used);
  for (const bucket of buckets) {
    const amount = change(after.get(bucket) ?? zeroCents, request.amount);
    invariant(amount >= zeroCents, 'no more of a limit is given back than was used', { bucket });
    after.set(bucket, amount);
  }
  return after;
}

const moneyOf = ({ request, fee }: Hold): HeldMoney => ({
  transferId: request.transferId,
  accountId: request.accountId,
  amount: request.amount,
  fee,
});
