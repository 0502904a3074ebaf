// Rows as callers see them. Answers to commands hold only what never changes: sent again, a command
// gets the same bytes.
import { centsToWire, instantToWire } from '@compasso/kernel';
import type { EntryRow } from '../postgres/ledger-queries.ts';
import type { AccountRow, DepositRow, TransferRow } from '../postgres/tables.ts';

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

const limitsOf = (row: AccountRow) => ({
  perTransferCents: centsToWire(row.perTransferLimitCents),
  dayCents: centsToWire(row.dayLimitCents),
  nightCents: centsToWire(row.nightLimitCents),
});

export const openedAccount = (row: AccountRow) => ({
  accountId: row.accountId,
  holderKind: row.holderKind,
  limits: limitsOf(row),
  openedAt: instantToWire(row.openedAt),
});
export type OpenedAccount = ReturnType<typeof openedAccount>;

export const accountView = (row: AccountRow) => ({
  ...openedAccount(row),
  state: row.state,
  availableCents: centsToWire(row.availableCents),
  heldCents: centsToWire(row.heldCents),
});
export type AccountView = ReturnType<typeof accountView>;

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
