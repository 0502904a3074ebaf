// The ledger's tables as data. The migration repeats every key, unique and check in SQL, under the
// same names.
import { zeroCents } from '@compasso/kernel';
import {
  cents,
  defineTable,
  identity,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  uuid,
} from '@compasso/messaging';
import { accountStates, holderKinds } from '../domain/account.ts';
import { books, customerBooks, entryKinds } from '../domain/journal.ts';
import { keyTypes } from '../domain/transfer.ts';

export const transferStates = ['refused', 'reserved', 'authorized', 'settled', 'released'] as const;

const isOneOf = (words: readonly string[], word: string): boolean => words.includes(word);

export const accountTable = defineTable({
  name: 'account',
  columns: {
    accountId: uuid,
    holderKind: text,
    state: text,
    availableCents: cents,
    heldCents: cents,
    perTransferLimitCents: cents,
    dayLimitCents: cents,
    nightLimitCents: cents,
    openedLimits: json,
    raisedLimits: nullable(json),
    /** From when the raised ones count, instead of the columns above. */
    raisedFrom: nullable(instant),
    /** Counts the events whose subject is the account. */
    sequence: integer,
    openedAt: instant,
    openedBy: text,
  },
  key: ['accountId'],
  checks: {
    account_holder_kind_known: (row) => isOneOf(holderKinds, row.holderKind),
    account_state_known: (row) => isOneOf(accountStates, row.state),
    account_available_not_negative: (row) => row.availableCents >= zeroCents,
    account_held_not_negative: (row) => row.heldCents >= zeroCents,
    account_limits_not_negative: (row) =>
      row.perTransferLimitCents >= zeroCents &&
      row.dayLimitCents >= zeroCents &&
      row.nightLimitCents >= zeroCents,
    account_raised_from_an_instant: (row) => (row.raisedLimits === null) === (row.raisedFrom === null),
    account_closed_without_holds: (row) => row.state !== 'closed' || row.heldCents === zeroCents,
  },
});
export type AccountRow = RowOf<typeof accountTable>;

export const transferTable = defineTable({
  name: 'transfer',
  columns: {
    transferId: uuid,
    accountId: uuid,
    amountCents: cents,
    feeCents: cents,
    state: text,
    reason: nullable(text),
    fingerprint: text,
    keyType: text,
    keyMasked: text,
    /** Kept only where money may still have to leave: a refused transfer has none. */
    sealed: nullable(text),
    clientReference: nullable(text),
    metadata: nullable(json),
    requestedBy: text,
    traceparent: nullable(text),
    limitBuckets: json,
    sendBefore: nullable(instant),
    endToEndId: nullable(text),
    sequence: integer,
    createdAt: instant,
    updatedAt: instant,
  },
  key: ['transferId'],
  checks: {
    transfer_amount_positive: (row) => row.amountCents > zeroCents,
    transfer_fee_not_negative: (row) => row.feeCents >= zeroCents,
    transfer_state_known: (row) => isOneOf(transferStates, row.state),
    transfer_key_type_known: (row) => isOneOf(keyTypes, row.keyType),
    transfer_reason_when_undone: (row) =>
      isOneOf(['refused', 'released'], row.state) === (row.reason !== null),
    transfer_sealed_unless_refused: (row) => (row.state === 'refused') === (row.sealed === null),
    transfer_send_before_once_authorized: (row) =>
      row.state === 'released' ||
      isOneOf(['authorized', 'settled'], row.state) === (row.sendBefore !== null),
    transfer_end_to_end_id_when_settled: (row) =>
      (row.state === 'settled') === (row.endToEndId !== null),
  },
});
export type TransferRow = RowOf<typeof transferTable>;

export const depositTable = defineTable({
  name: 'deposit',
  columns: {
    depositId: uuid,
    accountId: uuid,
    amountCents: cents,
    fingerprint: text,
    createdAt: instant,
  },
  key: ['depositId'],
  checks: { deposit_amount_positive: (row) => row.amountCents > zeroCents },
  appendOnly: true,
});
export type DepositRow = RowOf<typeof depositTable>;

/** That an account wants a transfer no more. Kept for ever: the request may come at any time after it. */
export const cancellationTable = defineTable({
  name: 'cancellation',
  columns: { transferId: uuid, accountId: uuid, requestedBy: text, requestedAt: instant },
  key: ['transferId', 'accountId'],
  appendOnly: true,
});

export const limitUsageTable = defineTable({
  name: 'limit_usage',
  columns: { accountId: uuid, bucket: text, usedCents: cents },
  key: ['accountId', 'bucket'],
  checks: { limit_usage_not_negative: (row) => row.usedCents >= zeroCents },
});

export const journalEntryTable = defineTable({
  name: 'journal_entry',
  columns: {
    entryId: uuid,
    /** Drawn under the account's row lock: the order of one account's entries. */
    position: identity,
    kind: text,
    transferId: nullable(uuid),
    depositId: nullable(uuid),
    accountId: uuid,
    recordedAt: instant,
  },
  key: ['entryId'],
  uniques: [
    { name: 'journal_entry_transfer_once_per_kind', columns: ['transferId', 'kind'] },
    {
      name: 'journal_entry_transfer_ends_once',
      columns: ['transferId'],
      where: (row) => row['kind'] === 'settle' || row['kind'] === 'release',
    },
    { name: 'journal_entry_deposit_once', columns: ['depositId'] },
  ],
  checks: {
    journal_entry_kind_known: (row) => isOneOf(entryKinds, row.kind),
    journal_entry_cause_of_its_kind: (row) =>
      row.kind === 'deposit'
        ? row.depositId !== null && row.transferId === null
        : row.transferId !== null && row.depositId === null,
  },
  appendOnly: true,
});

export const postingTable = defineTable({
  name: 'posting',
  columns: {
    entryId: uuid,
    line: integer,
    book: text,
    accountId: nullable(uuid),
    amountCents: cents,
  },
  key: ['entryId', 'line'],
  checks: {
    posting_book_known: (row) => isOneOf(books, row.book),
    posting_account_in_customer_books_only: (row) =>
      isOneOf(customerBooks, row.book) === (row.accountId !== null),
    posting_moves_something: (row) => row.amountCents !== zeroCents,
  },
  appendOnly: true,
});
