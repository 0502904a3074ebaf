// Rows as callers see them. Answers to commands hold only what never changes: sent again, a command
// gets the same bytes.
import { centsToWire, type Instant, instantToWire } from '@compasso/kernel';
import { limitsAt } from '../domain/limits.ts';
import type { EntryRow } from '../postgres/ledger-queries.ts';
import { toAccount } from '../postgres/rows.ts';
import type { AccountRow, DepositRow, TransferRow } from '../postgres/tables.ts';
import { type WireLimits, wireLimits } from '../wire-limits.ts';

export const acceptedTransfer = (row: TransferRow) => ({
  transferId: row.transferId,
  state: 'accepted' as const,
  accountId: row.accountId,
  amountCents: centsToWire(row.amountCents),
  feeCents: centsToWire(row.feeCents),
  ...(row.clientReference === null ? {} : { clientReference: row.clientReference }),
  acceptedAt: instantToWire(row.createdAt),
  statusUrl: `/v1/transfers/${row.transferId}`,
});
export type AcceptedTransfer = ReturnType<typeof acceptedTransfer>;

/**
 * What the ledger did about a cancellation. `passed_on`: the money stays on hold until the gateway knows whether anything has
 * left.
 */
export type CancelOutcome = 'kept_for_the_request' | 'released' | 'passed_on' | 'nothing_to_do';

export interface AcceptedCancel {
  readonly transferId: string;
  readonly outcome: CancelOutcome;
  readonly statusUrl: string;
}

export const acceptedCancel = (transferId: string, outcome: CancelOutcome): AcceptedCancel => ({
  transferId,
  outcome,
  statusUrl: `/v1/transfers/${transferId}`,
});

/**
 * The ledger's own view: its word for the transfer. Where the whole saga stands, the tracker tells.
 */
export const transferView = (row: TransferRow) => ({
  transferId: row.transferId,
  accountId: row.accountId,
  state: row.state,
  ...(row.reason === null ? {} : { reason: row.reason }),
  amountCents: centsToWire(row.amountCents),
  feeCents: centsToWire(row.feeCents),
  payee: { kind: 'key' as const, keyType: row.keyType, keyMasked: row.keyMasked },
  ...(row.clientReference === null ? {} : { clientReference: row.clientReference }),
  ...(row.metadata === null
    ? {}
    : { metadata: JSON.parse(row.metadata) as Record<string, string> }),
  requestedBy: row.requestedBy,
  limitBuckets: JSON.parse(row.limitBuckets) as readonly string[],
  ...(row.sendBefore === null ? {} : { sendBefore: instantToWire(row.sendBefore) }),
  ...(row.endToEndId === null ? {} : { endToEndId: row.endToEndId }),
  createdAt: instantToWire(row.createdAt),
  updatedAt: instantToWire(row.updatedAt),
});
export type TransferView = ReturnType<typeof transferView>;

export const openedAccount = (row: AccountRow) => ({
  accountId: row.accountId,
  holderKind: row.holderKind,
  limits: JSON.parse(row.openedLimits) as WireLimits,
  openedAt: instantToWire(row.openedAt),
});
export type OpenedAccount = ReturnType<typeof openedAccount>;

/** @param at when the row was seen: raised limits count from an instant on */
export const accountView = (row: AccountRow, at: Instant) => ({
  ...openedAccount(row),
  ...limitsView(row, at),
  state: row.state,
  availableCents: centsToWire(row.availableCents),
  heldCents: centsToWire(row.heldCents),
});
export type AccountView = ReturnType<typeof accountView>;

function limitsView(row: AccountRow, at: Instant) {
  const account = toAccount(row);
  const { raised } = account;
  return {
    limits: wireLimits(limitsAt(account, at)),
    ...(raised === null || raised.from <= at
      ? {}
      : { raisedLimits: { ...wireLimits(raised.limits), from: instantToWire(raised.from) } }),
  };
}

export const madeDeposit = (row: DepositRow) => ({
  depositId: row.depositId,
  accountId: row.accountId,
  amountCents: centsToWire(row.amountCents),
  depositedAt: instantToWire(row.createdAt),
});
export type MadeDeposit = ReturnType<typeof madeDeposit>;

export const entryView = (row: EntryRow) => ({
  entryId: row.entryId,
  kind: row.kind,
  ...(row.transferId === null ? {} : { transferId: row.transferId }),
  ...(row.depositId === null ? {} : { depositId: row.depositId }),
  recordedAt: instantToWire(row.recordedAt),
  postings: row.postings.map(({ book, amount }) => ({ book, amountCents: centsToWire(amount) })),
});
export type EntryView = ReturnType<typeof entryView>;
