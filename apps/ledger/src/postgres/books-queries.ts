// The whole of the books in one snapshot, computed from the rows and never from what the service
// remembers.
import { type Cents, centsOf, centsToWire, sumCents } from '@compasso/kernel';
import type { DataSource, EntityManager } from 'typeorm';
import { books, entryKinds } from '../domain/journal.ts';
import { booksRules } from './books-rules.ts';
import { transferStates } from './tables.ts';

export interface Violation {
  readonly rule: string;
  readonly count: number;
  /** Ids of the first few. */
  readonly examples: readonly string[];
}

export interface Books {
  readonly asOf: string;
  /** Sum of the postings of each book, in centavos. */
  readonly books: Readonly<Record<string, number>>;
  /** Of all books together: zero. */
  readonly sumCents: number;
  /** Of the balance columns of all accounts. */
  readonly balances: { readonly availableCents: number; readonly heldCents: number };
  readonly counts: {
    readonly accounts: number;
    readonly deposits: number;
    readonly postings: number;
    readonly transfers: Readonly<Record<string, number>>;
    readonly entries: Readonly<Record<string, number>>;
  };
  readonly violations: readonly Violation[];
}

export interface OpenHolds {
  readonly count: number;
  readonly oldestAgeSeconds: number;
}

export class BooksQueries {
  private readonly source: DataSource;

  constructor(source: DataSource) {
    this.source = source;
  }

  books(): Promise<Books> {
    return this.source.transaction('REPEATABLE READ', async (manager) => {
      await manager.query(roomForEverything);
      return { ...(await sumsOf(manager)), violations: await violationsIn(manager) };
    });
  }

  async openHolds(): Promise<OpenHolds> {
    const [row] = await this.source.query<{ count: number; age: number }[]>(openHoldsSql);
    return { count: row?.count ?? 0, oldestAgeSeconds: row?.age ?? 0 };
  }
}

/**
 * This reads whole tables, and blocks nobody: it may take longer than a transaction that holds
 * locks. A limit that runs already is not moved by a new value, so it is taken away first.
 */
const roomForEverything = `
set local transaction_timeout = 0; set local transaction_timeout = '60s';
set local statement_timeout = '8s'; set local work_mem = '64MB'; set transaction read only;
`;

const openHoldsSql = `
select count(*)::int as count,
  coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as age
from transfer where state in ('reserved', 'authorized')
`;

async function sumsOf(manager: EntityManager): Promise<Omit<Books, 'violations'>> {
  const bookSums = await numbered(
    manager,
    'select book as name, sum(amount_cents)::text as value from posting group by book',
  );
  const totals = await numbered(manager, totalsSql);
  const transfers = await numbered(
    manager,
    'select state as name, count(*)::text as value from transfer group by state',
  );
  const entries = await numbered(
    manager,
    'select kind as name, count(*)::text as value from journal_entry group by kind',
  );
  const [{ now }] = await manager.query<[{ now: Date }]>('select transaction_timestamp() as now');
  return {
    asOf: now.toISOString(),
    books: perName(books, bookSums),
    sumCents: centsToWire(sumCents(bookSums.values())),
    balances: { availableCents: valueOf(totals, 'available'), heldCents: valueOf(totals, 'held') },
    counts: {
      accounts: valueOf(totals, 'accounts'),
      deposits: valueOf(totals, 'deposits'),
      postings: valueOf(totals, 'postings'),
      transfers: perName(transferStates, transfers),
      entries: perName(entryKinds, entries),
    },
  };
}

const totalsSql = `
select 'available' as name, coalesce(sum(available_cents), 0)::text as value from account
union all select 'held', coalesce(sum(held_cents), 0)::text from account
union all select 'accounts', count(*)::text from account
union all select 'deposits', count(*)::text from deposit
union all select 'postings', count(*)::text from posting
`;

const examplesMax = 10;

async function violationsIn(manager: EntityManager): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const [rule, sql] of Object.entries(booksRules)) {
    const [found] = await manager.query<{ count: number; examples: string[] | null }[]>(
      `select count(*)::int as count, (array_agg(subject))[1:${examplesMax}] as examples
       from (${sql}) broken`,
    );
    if (found === undefined || found.count === 0) continue;
    violations.push({ rule, count: found.count, examples: found.examples ?? [] });
  }
  return violations;
}

type Named = ReadonlyMap<string, Cents>;

async function numbered(manager: EntityManager, sql: string): Promise<Named> {
  const rows = await manager.query<{ name: string; value: string }[]>(sql);
  return new Map(rows.map(({ name, value }) => [name, centsOf(BigInt(value))]));
}

const valueOf = (named: Named, name: string): number => centsToWire(named.get(name) ?? centsOf(0));

const perName = (names: readonly string[], named: Named): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map((name) => [name, valueOf(named, name)]));
