// Reads for the HTTP API. They lock nothing and decide nothing.
import { type Cents, centsOf, type Instant, instantOf } from '@compasso/kernel';
import type { RowOf, Table } from '@compasso/messaging';
import type { DataSource } from 'typeorm';
import { type AccountRow, accountTable, type TransferRow, transferTable } from './tables.ts';

export interface EntryRow {
  readonly entryId: string;
  readonly position: bigint;
  readonly kind: string;
  readonly transferId: string | null;
  readonly depositId: string | null;
  readonly recordedAt: Instant;
  readonly postings: readonly { readonly book: string; readonly amount: Cents }[];
}

export interface EntriesPageRows {
  readonly entries: readonly EntryRow[];
  readonly hasMore: boolean;
}

export interface Seen<Row> {
  readonly row: Row;
  /** By the clock that decides. */
  readonly at: Instant;
}

export class LedgerQueries {
  private readonly source: DataSource;

  constructor(source: DataSource) {
    this.source = source;
  }

  account(accountId: string): Promise<Seen<AccountRow> | undefined> {
    return this.byId(accountTable, accountId);
  }

  async transfer(transferId: string): Promise<TransferRow | undefined> {
    return (await this.byId(transferTable, transferId))?.row;
  }

  /**
   * Newest first. Nothing is missed between pages: positions are drawn under the account's row
   * lock.
   */
  async entries(
    accountId: string,
    page: { readonly before: bigint | undefined; readonly limit: number },
  ): Promise<EntriesPageRows | undefined> {
    const { before, limit } = page;
    const rows = await this.source.query<RawEntry[]>(entriesSql, [
      accountId,
      String(before ?? 9_223_372_036_854_775_807n),
      limit + 1,
    ]);
    if (rows.length === 0 && (await this.account(accountId)) === undefined) return undefined;
    return { entries: rows.slice(0, limit).map(toEntry), hasMore: rows.length > limit };
  }

  private async byId<T extends Table>(table: T, id: string): Promise<Seen<RowOf<T>> | undefined> {
    const [raw] = await this.source.query<Record<string, unknown>[]>(selectById(table), [id]);
    if (raw === undefined) return undefined;
    return { row: readRow(table, raw), at: instantOf((raw['seenAt'] as Date).getTime()) };
  }
}

const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const selectById = (table: Table): string => {
  const columns = Object.keys(table.columns).map((name) => `${snake(name)} as "${name}"`);
  return `select ${columns.join(', ')}, clock_timestamp() as "seenAt" from ${table.name} where ${snake(table.key[0]!)} = $1`;
};

/** The driver gives 64-bit integers as text and instants as dates. */
function readRow<T extends Table>(table: T, raw: Record<string, unknown>): RowOf<T> {
  const row: Record<string, unknown> = {};
  for (const [name, { kind }] of Object.entries(table.columns)) {
    const value = raw[name];
    if (value === null) row[name] = null;
    else if (kind === 'cents') row[name] = centsOf(BigInt(value as string));
    else if (kind === 'instant') row[name] = instantOf((value as Date).getTime());
    else row[name] = value;
  }
  return row as RowOf<T>;
}

interface RawEntry {
  readonly entryId: string;
  readonly position: string;
  readonly kind: string;
  readonly transferId: string | null;
  readonly depositId: string | null;
  readonly recordedAt: Date;
  readonly books: readonly string[];
  readonly amounts: readonly string[];
}

/** Amounts travel as text: a JSON number would lose cents. */
const entriesSql = `
with page as (
  select * from journal_entry
  where account_id = $1 and position < $2
  order by position desc
  limit $3
)
select e.entry_id as "entryId", e.position, e.kind, e.transfer_id as "transferId",
  e.deposit_id as "depositId", e.recorded_at as "recordedAt",
  array_agg(p.book order by p.line) as books,
  array_agg(p.amount_cents::text order by p.line) as amounts
from page e join posting p using (entry_id)
group by e.entry_id, e.position, e.kind, e.transfer_id, e.deposit_id, e.recorded_at
order by e.position desc
`;

const toEntry = (raw: RawEntry): EntryRow => ({
  entryId: raw.entryId,
  position: BigInt(raw.position),
  kind: raw.kind,
  transferId: raw.transferId,
  depositId: raw.depositId,
  recordedAt: instantOf(raw.recordedAt.getTime()),
  postings: raw.books.map((book, at) => ({ book, amount: centsOf(BigInt(raw.amounts[at]!)) })),
});
