// What the database itself refuses, whoever writes. The in-memory twin refuses the same, from the
// same definitions.
import { centsOf, instantOf } from '@compasso/kernel';
import {
  MemoryUnitOfWork,
  PostgresUnitOfWork,
  type Table,
  type UnitOfWork,
} from '@compasso/messaging';
import { type PrivateDatabase, privateDatabase } from '@compasso/testing';
import { jest } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { ledgerMigrations } from './migrations.ts';
import {
  accountTable,
  depositTable,
  journalEntryTable,
  limitUsageTable,
  postingTable,
  transferTable,
} from './tables.ts';

jest.setTimeout(120_000);

let database: PrivateDatabase;
let both: readonly (readonly [string, UnitOfWork])[];
beforeAll(async () => {
  database = await privateDatabase(ledgerMigrations);
  both = [
    ['Postgres', new PostgresUnitOfWork(database.hot)],
    ['memory', new MemoryUnitOfWork()],
  ];
});
afterAll(() => database.drop());

const at = instantOf(1_764_500_000_000);
const anAccount = (changes: object = {}) => ({
  accountId: uuidv7(),
  holderKind: 'natural',
  state: 'open',
  availableCents: centsOf(0),
  heldCents: centsOf(0),
  perTransferLimitCents: centsOf(1),
  dayLimitCents: centsOf(1),
  nightLimitCents: centsOf(1),
  openedLimits: '{}',
  raisedLimits: null,
  raisedFrom: null,
  sequence: 1,
  openedAt: at,
  openedBy: 'client.test',
  ...changes,
});
const aTransfer = (changes: object = {}) => ({
  transferId: uuidv7(),
  accountId: uuidv7(),
  amountCents: centsOf(1),
  feeCents: centsOf(0),
  state: 'authorized',
  reason: null,
  fingerprint: 'http.x',
  keyType: 'cpf',
  keyMasked: '***',
  sealed: 'a.b.c.d.e',
  clientReference: null,
  metadata: null,
  requestedBy: 'client.test',
  traceparent: null,
  limitBuckets: '[]',
  sendBefore: at,
  endToEndId: null,
  sequence: 2,
  createdAt: at,
  updatedAt: at,
  ...changes,
});
const anEntry = (changes: object = {}) => ({
  entryId: uuidv7(),
  kind: 'hold',
  transferId: uuidv7(),
  depositId: null,
  accountId: uuidv7(),
  recordedAt: at,
  ...changes,
});
const aPosting = (changes: object = {}) => ({
  entryId: uuidv7(),
  line: 1,
  book: 'fees',
  accountId: null,
  amountCents: centsOf(1),
  ...changes,
});

const insert = (unitOfWork: UnitOfWork, table: Table, ...rows: object[]) =>
  unitOfWork.run((transaction) => transaction.insert(table, rows as never));

async function bothRefuse(constraint: string, table: Table, row: object): Promise<void> {
  for (const [name, unitOfWork] of both) {
    const refusal = insert(unitOfWork, table, row).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect([name, await refusal]).toMatchObject([
      name,
      { code: 'constraint_violated', facts: { constraint } },
    ]);
  }
}

describe('checks', () => {
  it.each([
    ['account_holder_kind_known', { holderKind: 'alien' }],
    ['account_state_known', { state: 'asleep' }],
    ['account_available_not_negative', { availableCents: centsOf(-1) }],
    ['account_held_not_negative', { heldCents: centsOf(-1) }],
    ['account_limits_not_negative', { nightLimitCents: centsOf(-1) }],
    ['account_closed_without_holds', { state: 'closed', heldCents: centsOf(1) }],
    ['account_raised_from_an_instant', { raisedFrom: at }],
  ])('%s', (constraint, changes) => bothRefuse(constraint, accountTable, anAccount(changes)));

  it.each([
    ['transfer_amount_positive', { amountCents: centsOf(0) }],
    ['transfer_fee_not_negative', { feeCents: centsOf(-1) }],
    ['transfer_key_type_known', { keyType: 'iban' }],
    ['transfer_reason_when_undone', { reason: 'why' }],
    ['transfer_sealed_unless_refused', { sealed: null }],
    ['transfer_send_before_once_authorized', { sendBefore: null }],
    ['transfer_end_to_end_id_when_settled', { endToEndId: 'E1' }],
  ])('%s', (constraint, changes) => bothRefuse(constraint, transferTable, aTransfer(changes)));

  it('on deposits, limits, entries and postings', async () => {
    await bothRefuse('limit_usage_not_negative', limitUsageTable, {
      accountId: uuidv7(),
      bucket: 'day:2026-11-30',
      usedCents: centsOf(-1),
    });
    await bothRefuse('journal_entry_kind_known', journalEntryTable, anEntry({ kind: 'gift' }));
    await bothRefuse(
      'journal_entry_cause_of_its_kind',
      journalEntryTable,
      anEntry({ kind: 'deposit' }),
    );
    await bothRefuse('posting_book_known', postingTable, aPosting({ book: 'pocket' }));
    await bothRefuse(
      'posting_moves_something',
      postingTable,
      aPosting({ amountCents: centsOf(0) }),
    );
    const nobody = aPosting({ book: 'customer_held', accountId: null });
    await bothRefuse('posting_account_in_customer_books_only', postingTable, nobody);
    const somebody = aPosting({ accountId: uuidv7() });
    await bothRefuse('posting_account_in_customer_books_only', postingTable, somebody);
    const nothing = {
      depositId: uuidv7(),
      accountId: uuidv7(),
      amountCents: centsOf(0),
      fingerprint: 'x',
      createdAt: at,
    };
    await bothRefuse('deposit_amount_positive', depositTable, nothing);
  });
});

describe('uniques', () => {
  const transferId = uuidv7();

  it.each([
    ['one hold per transfer', ['hold', 'hold'], 'journal_entry_transfer_once_per_kind'],
    [
      'one settle or one release per hold, never both',
      ['settle', 'release'],
      'journal_entry_transfer_ends_once',
    ],
  ])('%s', async (_, [first, second], constraint) => {
    for (const [name, unitOfWork] of both) {
      const ours = uuidv7();
      await insert(unitOfWork, journalEntryTable, anEntry({ transferId: ours, kind: first }));
      const again = insert(
        unitOfWork,
        journalEntryTable,
        anEntry({ transferId: ours, kind: second }),
      );
      const refusal = await again.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect([name, refusal]).toMatchObject([
        name,
        { code: 'row_conflict', facts: { constraint } },
      ]);
    }
  });

  it('one transfer per id', async () => {
    for (const [, unitOfWork] of both) {
      await insert(unitOfWork, transferTable, aTransfer({ transferId }));
      const again = insert(unitOfWork, transferTable, aTransfer({ transferId }));
      await expect(again).rejects.toMatchObject({ code: 'row_conflict' });
    }
  });
});

describe('double entry, by the database alone', () => {
  const postgres = () => both[0]![1];
  const withEntry = (...postings: { readonly amountCents: bigint }[]) => {
    const entry = anEntry();
    return postgres().run(async (transaction) => {
      await transaction.insert(journalEntryTable, [entry] as never);
      const rows = postings.map((posting, at) =>
        aPosting({ ...posting, entryId: entry.entryId, line: at + 1 }),
      );
      await transaction.insert(postingTable, rows as never);
      return entry.entryId;
    });
  };

  it('takes postings that sum to zero and refuses a cent too many', async () => {
    await withEntry({ amountCents: -5n }, { amountCents: 5n });
    await expect(withEntry({ amountCents: -5n }, { amountCents: 6n })).rejects.toMatchObject({
      facts: { constraint: 'posting_entry_sums_to_zero' },
    });
  });

  it('refuses postings of an entry that is not there', async () => {
    const entryId = uuidv7();
    const orphans = [aPosting({ entryId }), aPosting({ entryId, line: 2, amountCents: -1n })];
    await expect(insert(postgres(), postingTable, ...orphans)).rejects.toMatchObject({
      facts: { constraint: 'posting_entry_exists' },
    });
  });

  it.each([
    'update posting set amount_cents = amount_cents + 1',
    'delete from posting',
    'truncate posting',
    'update journal_entry set kind = $$settle$$',
    'delete from journal_entry',
    'truncate journal_entry',
    'update deposit set amount_cents = 1',
    'delete from deposit',
    'truncate deposit cascade',
  ])('never: %s', async (sql) => {
    await withEntry({ amountCents: -5n }, { amountCents: 5n });
    await insertDeposit();
    await expect(database.hot.query(sql)).rejects.toMatchObject({ code: 'CM001' });
  });

  async function insertDeposit(): Promise<void> {
    const account = anAccount();
    await insert(postgres(), accountTable, account);
    const deposit = {
      depositId: uuidv7(),
      accountId: account.accountId,
      amountCents: centsOf(1),
      fingerprint: 'x',
      createdAt: at,
    };
    await insert(postgres(), depositTable, deposit);
  }
});
