// Rows and the states of the domain, both ways.
import { centsOf, invariant, zeroCents } from '@compasso/kernel';
import type { Account, AccountState, Deposit, HolderKind } from '../domain/account.ts';
import type { Limits } from '../domain/limits.ts';
import type {
  Hold,
  KeyType,
  RefusalReason,
  Transfer,
  TransferRequest,
} from '../domain/transfer.ts';
import { limitsFromWire, type WireLimits, wireLimits } from '../wire-limits.ts';
import type { AccountRow, DepositRow, TransferRow } from './tables.ts';

export const toAccount = (row: AccountRow): Account => ({
  accountId: row.accountId,
  holderKind: row.holderKind as HolderKind,
  state: row.state as AccountState,
  limits: {
    perTransfer: row.perTransferLimitCents,
    day: row.dayLimitCents,
    night: row.nightLimitCents,
  },
  openedLimits: limitsOf(row.openedLimits),
  raised:
    row.raisedLimits === null ? null : { limits: limitsOf(row.raisedLimits), from: row.raisedFrom! },
  available: row.availableCents,
  held: row.heldCents,
});

const limitsText = (limits: Limits): string => JSON.stringify(wireLimits(limits));
const limitsOf = (text: string): Limits => limitsFromWire(JSON.parse(text) as WireLimits);

type AccountHistory = Pick<AccountRow, 'sequence' | 'openedAt' | 'openedBy'>;

export const fromAccount = (account: Account, history: AccountHistory): AccountRow => ({
  accountId: account.accountId,
  holderKind: account.holderKind,
  state: account.state,
  availableCents: account.available,
  heldCents: account.held,
  perTransferLimitCents: account.limits.perTransfer,
  dayLimitCents: account.limits.day,
  nightLimitCents: account.limits.night,
  openedLimits: limitsText(account.openedLimits),
  raisedLimits: account.raised === null ? null : limitsText(account.raised.limits),
  raisedFrom: account.raised?.from ?? null,
  sequence: history.sequence,
  openedAt: history.openedAt,
  openedBy: history.openedBy,
});

export const toDeposit = (row: DepositRow): Deposit => ({
  depositId: row.depositId,
  accountId: row.accountId,
  amount: row.amountCents,
  fingerprint: row.fingerprint,
});

export function toTransfer(row: TransferRow): Transfer {
  const request = requestOf(row);
  if (row.state === 'refused') {
    return { state: 'refused', request, reason: row.reason as RefusalReason };
  }
  const hold: Hold = {
    request,
    fee: row.feeCents,
    buckets: JSON.parse(row.limitBuckets) as readonly string[],
  };
  if (row.state === 'reserved') return { state: 'reserved', hold };
  const { sendBefore, endToEndId, reason } = row;
  if (row.state === 'released') {
    invariant(reason !== null, 'a released hold has its reason');
    return { state: 'released', hold, sendBefore, reason };
  }
  invariant(sendBefore !== null, 'an authorised hold has its deadline');
  if (row.state === 'authorized') return { state: 'authorized', hold, sendBefore };
  invariant(row.state === 'settled' && endToEndId !== null, 'a settled hold has its end-to-end id');
  return { state: 'settled', hold, sendBefore, endToEndId };
}

type TransferHistory = Pick<TransferRow, 'sequence' | 'createdAt' | 'updatedAt'>;

export function fromTransfer(transfer: Transfer, history: TransferHistory): TransferRow {
  invariant(transfer.state !== 'none', 'a transfer that exists is written');
  const refused = transfer.state === 'refused';
  const request = refused ? transfer.request : transfer.hold.request;
  const { payee, metadata } = request;
  return {
    transferId: request.transferId,
    accountId: request.accountId,
    amountCents: request.amount,
    feeCents: refused ? zeroCents : transfer.hold.fee,
    state: transfer.state,
    reason: 'reason' in transfer ? transfer.reason : null,
    fingerprint: request.fingerprint,
    keyType: payee.keyType,
    keyMasked: payee.keyMasked,
    sealed: refused ? null : payee.sealed,
    clientReference: request.clientReference ?? null,
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
    requestedBy: request.requestedBy,
    traceparent: request.traceparent ?? null,
    limitBuckets: JSON.stringify(refused ? [] : transfer.hold.buckets),
    sendBefore: 'sendBefore' in transfer ? transfer.sendBefore : null,
    endToEndId: 'endToEndId' in transfer ? transfer.endToEndId : null,
    ...history,
  };
}

const requestOf = (row: TransferRow): TransferRequest => ({
  transferId: row.transferId,
  accountId: row.accountId,
  amount: centsOf(row.amountCents),
  payee: {
    keyType: row.keyType as KeyType,
    keyMasked: row.keyMasked,
    sealed: row.sealed ?? '',
  },
  fingerprint: row.fingerprint,
  requestedBy: row.requestedBy,
  clientReference: row.clientReference ?? undefined,
  traceparent: row.traceparent ?? undefined,
  metadata:
    row.metadata === null
      ? undefined
      : (JSON.parse(row.metadata) as Readonly<Record<string, string>>),
});
