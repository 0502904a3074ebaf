// The unit of work on real Postgres: one connection, one transaction, one statement per table and kind of change.
import { type Instant, instantOf } from '@compasso/kernel';
import { constraintFailure, gatherWrites, inTransaction, isTransientPostgres } from '@compasso/postgres';
import type pg from 'pg';
import { appendOnly, constraintViolated, meaningOfCode, rowConflict, rowMissing } from '../ports/database-errors.ts';
import { type Key, keyOf, type RowOf, type Table } from '../ports/table.ts';
import type { Due, FailureMeaning, Oldest, RunOptions, Transaction, UnitOfWork } from '../ports/unit-of-work.ts';
import {
  insertRows,
  removeKeys,
  selectByKeys,
  selectDue,
  selectOldest,
  type Statement,
  updateRows,
} from './table-sql.ts';

export class PostgresUnitOfWork implements UnitOfWork {
  private readonly pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.pool = pool;
  }

  async run<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options: RunOptions = {},
  ): Promise<Result> {
    return inTransaction(
      this.pool,
      ({ client, startedAt }) => work(new PostgresTransaction(client, instantOf(startedAt))),
      options.signal,
    );
  }

  meaningOf(error: unknown): FailureMeaning {
    return isTransientPostgres(error) ? 'transient' : meaningOfCode(error);
  }
}

class PostgresTransaction implements Transaction {
  readonly instant: Instant;
  private readonly client: pg.PoolClient;

  constructor(client: pg.PoolClient, at: Instant) {
    this.client = client;
    this.instant = at;
  }

  async lock<T extends Table>(table: T, keys: readonly Key[]): Promise<readonly RowOf<T>[]> {
    return keys.length === 0 ? [] : this.rows(table, selectByKeys(table, keys, true));
  }

  async read<T extends Table>(table: T, keys: readonly Key[]): Promise<readonly RowOf<T>[]> {
    return keys.length === 0 ? [] : this.rows(table, selectByKeys(table, keys, false));
  }

  async insert(table: Table, rows: readonly unknown[]): Promise<void> {
    if (rows.length > 0) await this.query(insertRows(table, rows, false), table);
  }

  async insertMissing<T extends Table>(table: T, rows: readonly unknown[]): Promise<readonly Key[]> {
    if (rows.length === 0) return [];
    const result = await this.query(insertRows(table, rows, true), table);
    return result.rows.map((row) => keyOf(table, row as RowOf<T>));
  }

  async update(table: Table, rows: readonly unknown[], changed = notOfKey(table)): Promise<void> {
    if (rows.length === 0) return;
    if (table.appendOnly) throw appendOnly(table.name);
    const result = await this.query(updateRows(table, rows, changed), table);
    if (result.rowCount !== rows.length) throw rowMissing(table.name);
  }

  async remove(table: Table, keys: readonly Key[]): Promise<void> {
    if (keys.length > 0) await this.query(removeKeys(table, keys), table);
  }

  async oldest<T extends Table>(table: T, options: Oldest<T>): Promise<readonly RowOf<T>[]> {
    return this.rows(table, selectOldest(table, options));
  }

  async due<T extends Table>(table: T, options: Due<T>): Promise<readonly RowOf<T>[]> {
    return this.rows(table, selectDue(table, options));
  }

  private async rows<T extends Table>(table: T, statement: Statement): Promise<readonly RowOf<T>[]> {
    const result = await this.query(statement, table);
    return result.rows as readonly RowOf<T>[];
  }

  private async query(statement: Statement, table: Table): Promise<pg.QueryResult> {
    gatherWrites(this.client);
    try {
      return await this.client.query(statement);
    } catch (error) {
      throw translated(error, table);
    }
  }
}

const notOfKey = (table: Table): ReadonlySet<string> =>
  new Set(Object.keys(table.columns).filter((name) => !table.key.includes(name)));

function translated(error: unknown, table: Table): unknown {
  const failure = constraintFailure(error);
  if (failure === undefined) return error;
  switch (failure.kind) {
    case 'unique':
      return rowConflict(table.name, failure.constraint);
    case 'append-only':
      return appendOnly(table.name);
    case 'constraint':
      return constraintViolated(table.name, failure.constraint);
  }
}
