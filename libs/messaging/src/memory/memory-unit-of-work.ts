// The in-memory twin of the Postgres unit of work: one transaction at a time, undone as a whole when it throws, refusing
// what the database refuses. Passes the same behaviour suite.
import { type Instant, instantOf } from '@compasso/kernel';
import {
  appendOnly,
  constraintViolated,
  fenced,
  meaningOfCode,
  rowConflict,
  rowMissing,
} from '../ports/database-errors.ts';
import { compareKeys, type Key, keyOf, keyText, type RowOf, type Table } from '../ports/table.ts';
import type { Due, Oldest, RunOptions, Transaction, UnitOfWork } from '../ports/unit-of-work.ts';

type AnyRow = Readonly<Record<string, unknown>>;

interface Stored {
  readonly table: Table;
  readonly rows: Map<string, AnyRow>;
  nextIdentity: bigint;
}

export class MemoryUnitOfWork implements UnitOfWork {
  private readonly stored = new Map<string, Stored>();
  private readonly now: () => Instant;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(now: () => Instant = () => instantOf(Date.now())) {
    this.now = now;
  }

  async run<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options: RunOptions = {},
  ): Promise<Result> {
    const before = this.turn;
    let release: (value: unknown) => void = () => undefined;
    this.turn = new Promise((resolve) => (release = resolve));
    await before;
    const undo: (() => void)[] = [];
    try {
      const result = await work(new MemoryTransaction(this.now(), (table) => this.storedOf(table), undo));
      if (options.signal?.aborted === true) throw fenced();
      return result;
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    } finally {
      release(undefined);
    }
  }

  meaningOf(error: unknown) {
    return meaningOfCode(error);
  }

  /** For assertions and the invariant checkers. */
  rowsOf<T extends Table>(table: T): readonly RowOf<T>[] {
    return [...this.storedOf(table).rows.values()].sort((a, b) =>
      compareKeys(keyOf(table, a as RowOf<T>), keyOf(table, b as RowOf<T>)),
    ) as RowOf<T>[];
  }

  private storedOf(table: Table): Stored {
    const known = this.stored.get(table.name);
    if (known !== undefined) return known;
    const made: Stored = { table, rows: new Map(), nextIdentity: 1n };
    this.stored.set(table.name, made);
    return made;
  }
}

class MemoryTransaction implements Transaction {
  readonly instant: Instant;
  private readonly storedOf: (table: Table) => Stored;
  private readonly undo: (() => void)[];

  constructor(at: Instant, storedOf: (table: Table) => Stored, undo: (() => void)[]) {
    this.instant = at;
    this.storedOf = storedOf;
    this.undo = undo;
  }

  async lock<T extends Table>(table: T, keys: readonly Key[]): Promise<readonly RowOf<T>[]> {
    return this.read(table, keys);
  }

  async read<T extends Table>(table: T, keys: readonly Key[]): Promise<readonly RowOf<T>[]> {
    const { rows } = this.storedOf(table);
    const unique = new Map(keys.map((key) => [keyText(key), key]));
    return [...unique.values()]
      .sort(compareKeys)
      .map((key) => rows.get(keyText(key)))
      .filter((row) => row !== undefined) as unknown as RowOf<T>[];
  }

  async insert(table: Table, rows: readonly unknown[]): Promise<void> {
    for (const row of rows as AnyRow[]) {
      const whole = this.withIdentity(table, row);
      if (this.storedOf(table).rows.has(textOf(table, whole))) throw rowConflict(table.name, 'primary');
      this.write(table, whole);
    }
  }

  async insertMissing(table: Table, rows: readonly unknown[]): Promise<readonly Key[]> {
    const inserted: Key[] = [];
    for (const row of rows as AnyRow[]) {
      const whole = this.withIdentity(table, row);
      if (this.storedOf(table).rows.has(textOf(table, whole))) continue;
      this.write(table, whole);
      inserted.push(keyOf(table, whole as never));
    }
    return inserted;
  }

  async update(table: Table, rows: readonly unknown[], changed?: ReadonlySet<string>): Promise<void> {
    if (table.appendOnly && rows.length > 0) throw appendOnly(table.name);
    for (const row of rows as AnyRow[]) {
      const before = this.storedOf(table).rows.get(textOf(table, row));
      if (before === undefined) throw rowMissing(table.name);
      this.write(table, changed === undefined ? row : withChanges(before, row, changed));
    }
  }

  async remove(table: Table, keys: readonly Key[]): Promise<void> {
    if (table.appendOnly && keys.length > 0) throw appendOnly(table.name);
    const { rows } = this.storedOf(table);
    for (const text of keys.map(keyText)) {
      const row = rows.get(text);
      if (row === undefined) continue;
      rows.delete(text);
      this.undo.push(() => rows.set(text, row));
    }
  }

  async oldest<T extends Table>(table: T, { column, limit, where, after }: Oldest<T>): Promise<readonly RowOf<T>[]> {
    return this.matching(table, where)
      .filter((row) => after === undefined || compareKeys([sortable(row[column])], [after]) > 0)
      .sort((a, b) => compareKeys([sortable(a[column])], [sortable(b[column])]))
      .slice(0, limit) as RowOf<T>[];
  }

  async due<T extends Table>(table: T, { column, limit, where }: Due<T>): Promise<readonly RowOf<T>[]> {
    return this.matching(table, where)
      .filter((row) => row[column] !== null && (row[column] as Instant) <= this.instant)
      .sort((a, b) => compareKeys([sortable(a[column])], [sortable(b[column])]))
      .slice(0, limit) as RowOf<T>[];
  }

  private matching(table: Table, where: object | undefined): AnyRow[] {
    const wanted = Object.entries(where ?? {});
    return [...this.storedOf(table).rows.values()].filter((row) =>
      wanted.every(([name, value]) => row[name] === value),
    );
  }

  private withIdentity(table: Table, row: AnyRow): AnyRow {
    const drawn = Object.entries(table.columns).find(([, column]) => column.identity === true)?.[0];
    if (drawn === undefined) return row;
    const stored = this.storedOf(table);
    const value = stored.nextIdentity;
    stored.nextIdentity += 1n; // as in the database, a rollback does not give the number back
    return { ...row, [drawn]: value };
  }

  private write(table: Table, row: AnyRow): void {
    refuseBadRow(table, row);
    const { rows } = this.storedOf(table);
    const text = textOf(table, row);
    for (const unique of table.uniques) this.refuseTaken(table, unique.name, unique, row, text);
    const before = rows.get(text);
    rows.set(text, row);
    this.undo.push(() => (before === undefined ? rows.delete(text) : rows.set(text, before)));
  }

  private refuseTaken(
    table: Table,
    name: string,
    unique: Table['uniques'][number],
    row: AnyRow,
    ownText: string,
  ): void {
    const values = unique.columns.map((column) => row[column]);
    if (values.some((value) => value === null) || unique.where?.(row) === false) return;
    for (const [text, other] of this.storedOf(table).rows) {
      if (text === ownText || unique.where?.(other) === false) continue;
      if (unique.columns.every((column, at) => other[column] === values[at])) {
        throw rowConflict(table.name, name);
      }
    }
  }
}

const withChanges = (before: AnyRow, row: AnyRow, changed: ReadonlySet<string>): AnyRow => ({
  ...before,
  ...Object.fromEntries([...changed].map((name) => [name, row[name]])),
});

const textOf = (table: Table, row: AnyRow): string => keyText(keyOf(table, row as never));

const sortable = (value: unknown): string | number | bigint => value as string | number | bigint;

function refuseBadRow(table: Table, row: AnyRow): void {
  for (const [name, column] of Object.entries(table.columns)) {
    const value = row[name];
    if (value === undefined || (value === null && !column.nullable)) {
      throw constraintViolated(table.name, `${name}_not_null`);
    }
  }
  for (const [name, holds] of Object.entries(table.checks)) {
    if (!holds(row as never)) throw constraintViolated(table.name, name);
  }
}
