// The first of the two ports that the shell runs over: one transaction on the service's own database.
import type { CodedError, Instant } from '@compasso/kernel';
import type { Key, RowOf, Table } from './table.ts';

export interface Transaction {
  /** The database's clock, read once: the instant of every decision in this transaction. */
  readonly instant: Instant;
  /** Locks the rows that exist, in key order whatever the order asked for, and returns them. */
  lock<T extends Table>(table: T, keys: readonly Key[]): Promise<readonly RowOf<T>[]>;
  read<T extends Table>(table: T, keys: readonly Key[]): Promise<readonly RowOf<T>[]>;
  /** @throws ConflictingRow when a key or a unique is taken */
  insert<T extends Table>(table: T, rows: readonly InsertOf<T>[]): Promise<void>;
  /** Inserts what is not there yet and returns the keys that are new. Waits for a concurrent insert of the same key. */
  insertMissing<T extends Table>(table: T, rows: readonly InsertOf<T>[]): Promise<readonly Key[]>;
  /**
   * Replaces rows by key; every one must exist.
   * @param changed the columns in which they differ from what is there, at least one; all of them, unless told
   */
  update<T extends Table>(table: T, rows: readonly RowOf<T>[], changed?: ReadonlySet<string>): Promise<void>;
  remove<T extends Table>(table: T, keys: readonly Key[]): Promise<void>;
  /** The rows with the smallest values of `column`, not locked. */
  oldest<T extends Table>(table: T, options: Oldest<T>): Promise<readonly RowOf<T>[]>;
  /**
   * Locks and returns rows whose instant in `column` has come, oldest first, passing over rows that somebody else
   * holds. Only for work where the order between rows does not matter.
   */
  due<T extends Table>(table: T, options: Due<T>): Promise<readonly RowOf<T>[]>;
}

export interface Oldest<T extends Table> {
  readonly column: keyof T['columns'] & string;
  readonly limit: number;
  /** Only rows with these values. */
  readonly where?: Partial<RowOf<T>>;
  /** Only rows whose `column` is greater: the next page of an ordered reading. */
  readonly after?: string | number | bigint;
}

export interface Due<T extends Table> {
  readonly column: keyof T['columns'] & string;
  readonly limit: number;
  readonly where?: Partial<RowOf<T>>;
}

type IdentityNames<T extends Table> = {
  [Name in keyof T['columns']]: T['columns'][Name] extends { readonly identity: true } ? Name : never;
}[keyof T['columns']];

/** A row without the columns that the database draws. */
export type InsertOf<T extends Table> = Omit<RowOf<T>, IdentityNames<T>>;

export interface RunOptions {
  /** Ends the transaction: its connection is destroyed, so that a fenced generation cannot commit. */
  readonly signal?: AbortSignal;
}

export interface UnitOfWork {
  /** Runs `work` in one transaction: commits when it returns, rolls back when it throws. Never retries. */
  run<Result>(work: (transaction: Transaction) => Promise<Result>, options?: RunOptions): Promise<Result>;
  /** What a failure means, whatever the database behind the port calls it. */
  meaningOf(error: unknown): FailureMeaning;
}

/**
 * `transient`: the same work may succeed later (connection, serialisation, lock time-out). `conflict`: another
 * transaction took a key first, so re-reading decides. `permanent`: the same work fails for ever.
 */
export type FailureMeaning = 'transient' | 'conflict' | 'permanent';

/** Thrown by both twins, with the name of the key or constraint in its facts. */
export type RefusedByDatabase = CodedError & {
  readonly code: 'row_conflict' | 'constraint_violated' | 'append_only';
};
