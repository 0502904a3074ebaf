// Whole tables of the three services, read through their own table definitions.
import { serviceNames, type ServiceName } from '@compasso/contracts';
import {
  blockedTable,
  deadLetterTable,
  eventLogTable,
  inboxTable,
  outboxTable,
  parkedTable,
  PostgresUnitOfWork,
  type RowOf,
  type Table,
  type Transaction,
} from '@compasso/messaging';
import { openReader } from '@compasso/postgres';
import type { Facts, MessagingFacts } from '@compasso/testing';
import { accountTable, journalEntryTable, postingTable, transferTable } from '../../apps/ledger/src/postgres/tables.ts';
import { payoutTable } from '../../apps/payout-gateway/src/postgres/tables.ts';
import { projectionTable, reviewCaseTable, transferViewTable } from '../../apps/transfer-tracker/src/postgres/tables.ts';
import type { Lifetime } from './disturbed.ts';
import type { Sources } from './sources.ts';

type DatabaseFacts = Pick<
  Facts,
  'accounts' | 'transfers' | 'entries' | 'postings' | 'payouts' | 'views' | 'cases' | 'messaging'
>;

const everything = 2_000_000_000;

const all = <T extends Table>(transaction: Transaction, table: T): Promise<readonly RowOf<T>[]> =>
  transaction.oldest(table, { column: table.key[0]!, limit: everything });

/** One snapshot per database; the caller has waited until nothing moves. */
async function reading<Result>(
  url: string,
  read: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const pool = openReader(url, 'verify');
  try {
    return await new PostgresUnitOfWork(pool).run(read);
  } finally {
    await pool.end();
  }
}

async function messagingFacts(transaction: Transaction): Promise<MessagingFacts> {
  return {
    eventLog: await all(transaction, eventLogTable),
    outbox: await all(transaction, outboxTable),
    inbox: await all(transaction, inboxTable),
    blocked: await all(transaction, blockedTable),
    parked: await all(transaction, parkedTable),
    deadLetters: await all(transaction, deadLetterTable),
  };
}

export async function databaseFacts(
  { databaseUrls }: Pick<Sources, 'databaseUrls'>,
): Promise<DatabaseFacts & { readonly lifetimes: readonly Lifetime[] }> {
  const ledger = await reading(databaseUrls.ledger, async (transaction) => ({
    accounts: await all(transaction, accountTable),
    transfers: await all(transaction, transferTable),
    entries: await all(transaction, journalEntryTable),
    postings: await all(transaction, postingTable),
  }));
  const payouts = await reading(databaseUrls['payout-gateway'], (transaction) => all(transaction, payoutTable));
  const tracker = await reading(databaseUrls['transfer-tracker'], async (transaction) => {
    const current = (await all(transaction, projectionTable))[0]?.current ?? 1;
    const rows = await all(transaction, transferViewTable);
    const views = rows.filter(({ projection }) => projection === current);
    const lifetimes = views.map(({ transferId, startedAt, updatedAt }) => ({
      transferId,
      from: startedAt,
      until: updatedAt,
    }));
    return { views, lifetimes, cases: await all(transaction, reviewCaseTable) };
  });
  const messaging = {} as Record<ServiceName, MessagingFacts>;
  for (const service of serviceNames) messaging[service] = await reading(databaseUrls[service], messagingFacts);
  return { ...ledger, payouts, ...tracker, messaging };
}
