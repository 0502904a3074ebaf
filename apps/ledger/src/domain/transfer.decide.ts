// The one decision about transfers, whichever door a command came through.
import {
  addCents,
  addMilliseconds,
  type Cents,
  CodedError,
  type Instant,
  instantOf,
  unreachable,
  zeroCents,
} from '@compasso/kernel';
import type { Account } from './account.ts';
import { cancelledByRequester, cancelTransfer, type CancelTransfer } from './cancel-transfer.ts';
import type { Period } from './limit-buckets.ts';
import { limitsAt } from './limits.ts';
import type {
  CommandRefusal,
  Contradiction,
  Hold,
  RefusalReason,
  TransferEvent,
  TransferPage,
  TransferRequest,
} from './transfer.ts';

export type TransferCommand = RequestTransfer | CancelTransfer | SettleTransfer | ReleaseFunds;

export interface RequestTransfer {
  readonly type: 'RequestTransfer';
  readonly request: TransferRequest;
  /** Whether the requester may debit this account. */
  readonly mayDebit: boolean;
  readonly notAfter: Instant | undefined;
  readonly given: Given;
}

/** There is proof of paid. */
export interface SettleTransfer {
  readonly type: 'SettleTransfer';
  readonly accountId: string;
  readonly amount: Cents;
  readonly endToEndId: string;
}

/** There is proof of not paid. */
export interface ReleaseFunds {
  readonly type: 'ReleaseFunds';
  readonly accountId: string;
  readonly amount: Cents;
  readonly reason: string;
}

export interface Given {
  /** The database's clock: a sender's would let it choose its own day (attack H9). */
  readonly at: Instant;
  readonly period: Period;
  readonly policy: TransferPolicy;
}

export interface TransferPolicy {
  readonly fee: Cents;
  /** How long after the pivot the gateway may still make its first send. */
  readonly sendWithinMs: number;
}

/** @throws CodedError `transfer_unknown`: proof about a transfer that this database never had. */
export function decideTransfer(
  command: TransferCommand,
  page: TransferPage,
): readonly TransferEvent[] {
  switch (command.type) {
    case 'RequestTransfer':
      return requestTransfer(command, page);
    case 'CancelTransfer':
      return cancelTransfer(command, page);
    case 'SettleTransfer':
      return settleTransfer(command, page);
    case 'ReleaseFunds':
      return releaseFunds(command, page);
    default:
      return unreachable(command);
  }
}

function requestTransfer(command: RequestTransfer, page: TransferPage): readonly TransferEvent[] {
  const { request, mayDebit, given } = command;
  const { transfer, account } = page;
  if (!mayDebit) return [commandRefused('account_not_allowed')];
  if (transfer.state !== 'none') {
    const known = transfer.state === 'refused' ? transfer.request : transfer.hold.request;
    return known.fingerprint === request.fingerprint ? [] : [commandRefused('transfer_id_reused')];
  }
  if (account === undefined) return [commandRefused('account_not_found')];
  const reason = page.isCancelled ? cancelledByRequester : refusalOf(command, account, page.used);
  if (reason !== undefined) return [{ type: 'TransferRefused', request, reason }];
  const hold: Hold = { request, fee: given.policy.fee, buckets: bucketsOf(request, given.period) };
  // No clearance is required, so the hold and the permission to send are one decision.
  return [
    { type: 'FundsReserved', hold },
    { type: 'PayoutAuthorized', hold, sendBefore: sendBeforeOf(command) },
  ];
}

function refusalOf(
  { request, notAfter, given }: RequestTransfer,
  account: Account,
  used: ReadonlyMap<string, Cents>,
): RefusalReason | undefined {
  if (account.state === 'closed') return 'account_closed';
  if (account.state === 'blocked') return 'account_blocked';
  if (notAfter !== undefined && notAfter <= given.at) return 'not_after_passed';
  const { amount } = request;
  const limits = limitsAt(account, given.at);
  if (amount > limits.perTransfer) return 'transfer_limit_exceeded';
  for (const bucket of bucketsOf(request, given.period)) {
    const isNight = bucket === given.period.night;
    const limit = isNight ? limits.night : limits.day;
    if (addCents(used.get(bucket) ?? zeroCents, amount) <= limit) continue;
    return isNight ? 'night_limit_exceeded' : 'day_limit_exceeded';
  }
  if (addCents(amount, given.policy.fee) > account.available) return 'insufficient_funds';
  return undefined;
}

/**
 * The night limit protects payments to natural persons; a payee of unknown kind counts as one
 * (pix.md 1.6). Only a CNPJ says by itself that the payee is a legal person. The night comes first:
 * it is the narrower reason to tell.
 */
function bucketsOf({ payee }: TransferRequest, { day, night }: Period): readonly string[] {
  return night === undefined || payee.keyType === 'cnpj' ? [day] : [night, day];
}

function sendBeforeOf({ notAfter, given }: RequestTransfer): Instant {
  const latest = addMilliseconds(given.at, given.policy.sendWithinMs);
  return notAfter === undefined ? latest : instantOf(Math.min(latest, notAfter));
}

function settleTransfer(
  command: SettleTransfer,
  { transfer }: TransferPage,
): readonly TransferEvent[] {
  switch (transfer.state) {
    case 'none':
      throw unknownTransfer('payout.confirmed');
    case 'refused':
      return [contradiction('confirmed_without_hold')];
    case 'reserved':
      return [contradiction('confirmed_before_authorization')];
    case 'authorized': {
      const { request } = transfer.hold;
      if (request.accountId !== command.accountId)
        return [contradiction('confirmed_account_differs')];
      // Settling another amount than left would be wrong either way (attack H10). The gateway
      // refuses such a proof before it gets here; until conflicts are booked to suspense the hold
      // stays, and the books raise the alarm.
      if (request.amount !== command.amount) return [contradiction('confirmed_amount_differs')];
      return [{ type: 'TransferSettled', hold: transfer.hold, endToEndId: command.endToEndId }];
    }
    case 'settled':
      return transfer.endToEndId === command.endToEndId
        ? []
        : [contradiction('confirmed_under_other_end_to_end_id')];
    case 'released':
      return [contradiction('confirmed_after_release')];
    default:
      return unreachable(transfer);
  }
}

function releaseFunds(command: ReleaseFunds, { transfer }: TransferPage): readonly TransferEvent[] {
  switch (transfer.state) {
    case 'none':
      throw unknownTransfer('payout.rejected');
    case 'refused':
      return [contradiction('rejected_without_hold')];
    case 'reserved':
      return [contradiction('rejected_before_authorization')];
    case 'authorized': {
      const { request } = transfer.hold;
      if (request.accountId !== command.accountId)
        return [contradiction('rejected_account_differs')];
      if (request.amount !== command.amount) return [contradiction('rejected_amount_differs')];
      return [{ type: 'FundsReleased', hold: transfer.hold, reason: command.reason }];
    }
    case 'settled':
      return [contradiction('rejected_after_settlement')];
    case 'released':
      return [];
    default:
      return unreachable(transfer);
  }
}

const commandRefused = (reason: CommandRefusal): TransferEvent => ({
  type: 'CommandRefused',
  reason,
});
const contradiction = (rule: Contradiction): TransferEvent => ({ type: 'ContradictionSeen', rule });

/**
 * The gateway only knows transfers that this ledger authorised: our database has lost something.
 */
const unknownTransfer = (event: string): CodedError =>
  new CodedError(
    'transfer_unknown',
    'There is proof about a transfer that is not in these books.',
    { event },
  );
