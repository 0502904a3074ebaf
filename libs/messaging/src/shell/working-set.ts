// What one transaction has in its hands: rows are locked once for the whole batch, decisions read and replace them in
// memory, and everything is written at the end with one statement per table. A hundred transfers touch a hot account once.
import { invariant } from '@compasso/kernel';
import { compareKeys, type Key, keyOf, keyText, type RowOf, type Table } from '../ports/table.ts';
import type { Due, InsertOf, Transaction } from '../ports/unit-of-work.ts';
import type { Emission } from './emission.ts';
import { together } from './together.ts';

type AnyRow = Readonly<Record<string, unknown>>;

interface Held {
  readonly table: Table;
  /** Rows as loaded; null = asked for and not there. */
  readonly loaded: Map<string, AnyRow | null>;
  readonly changed: Map<string, { readonly key: Key; readonly row: AnyRow }>;
  readonly added: AnyRow[];
  readonly addedIfMissing: AnyRow[];
}

export class WorkingSet {
  readonly emissions: Emission[] = [];
  private readonly transaction: Transaction;
  private readonly held = new Map<string, Held>();
  private readonly endings: (() => void)[] = [];

  constructor(transaction: Transaction) {
    this.transaction = transaction;
  }

  get instant() {
    return this.transaction.instant;
  }

  /** Locks rows for this transaction. Callers keep the global lock order: accounts, transfers, limit usage. */
  async lock(table: Table, keys: Iterable<Key>): Promise<void> {
    await this.load(table, keys, (missing) => this.transaction.lock(table, missing));
  }

  /** Reads rows without a lock of their own: those that never change, or that a row which is locked here guards. */
  async read(table: Table, keys: Iterable<Key>): Promise<void> {
    await this.load(table, keys, (missing) => this.transaction.read(table, missing));
  }

  /** Locks and returns rows whose instant in `column` has come, passing over those that another worker holds. */
  async lockDue<T extends Table>(table: T, due: Due<T>): Promise<readonly RowOf<T>[]> {
    const rows = await this.transaction.due(table, due);
    const held = this.heldOf(table);
    for (const row of rows) held.loaded.set(keyText(keyOf(table, row)), row as AnyRow);
    return rows;
  }

  /** The row as it stands in this transaction. @throws BrokenInvariant when its key was never locked. */
  get<T extends Table>(table: T, ...key: Key): RowOf<T> | undefined {
    const held = this.heldOf(table);
    const text = keyText(key);
    const changed = held.changed.get(text);
    if (changed !== undefined) return changed.row as RowOf<T>;
    const loaded = held.loaded.get(text);
    invariant(loaded !== undefined, 'a row is locked before it is read', { table: table.name });
    return (loaded ?? undefined) as RowOf<T> | undefined;
  }

  /** Replaces or creates a row whose key was locked. */
  put<T extends Table>(table: T, row: RowOf<T>): void {
    const held = this.heldOf(table);
    const key = keyOf(table, row);
    const text = keyText(key);
    invariant(held.loaded.has(text), 'a row is locked before it is written', { table: table.name });
    held.changed.set(text, { key, row });
  }

  /** Appends a row that nobody reads again in this transaction. */
  add<T extends Table>(table: T, row: InsertOf<T>): void {
    this.heldOf(table).added.push(row as AnyRow);
  }

  /** Appends a row unless its key is there: a fact that outlives the inbox may come again (field failure D-04). */
  addMissing<T extends Table>(table: T, row: InsertOf<T>): void {
    this.heldOf(table).addedIfMissing.push(row as AnyRow);
  }

  emit(emission: Emission): void {
    this.emissions.push(emission);
  }

  /** For what is decided once per transaction, when all its messages are handled. */
  atEnd(decide: () => void): void {
    this.endings.push(decide);
  }

  /** No message comes after this. @returns all that was emitted */
  finish(): readonly Emission[] {
    for (const decide of this.endings.splice(0)) decide();
    return this.emissions;
  }

  /** Writes all changes: per table one insert and one update, sorted by key. */
  async flush(): Promise<void> {
    await together([...this.writes()]);
  }

  private *writes(): Generator<Promise<unknown>> {
    for (const { table, loaded, changed, added, addedIfMissing } of this.held.values()) {
      const sorted = [...changed.entries()].sort((a, b) => compareKeys(a[1].key, b[1].key));
      const fresh = sorted.filter(([text]) => loaded.get(text) === null).map(([, { row }]) => row);
      const known = sorted.filter(([text]) => loaded.get(text) !== null);
      if (fresh.length > 0) yield this.transaction.insert(table, fresh as never);
      yield this.update(table, known.map(([text, { row }]) => ({ before: loaded.get(text)!, row })));
      if (added.length > 0) yield this.transaction.insert(table, added as never);
      if (addedIfMissing.length > 0) yield this.transaction.insertMissing(table, addedIfMissing as never);
    }
  }

  /** Writes what differs: a wide row whose state moves on costs what it changes. */
  private async update(table: Table, rows: readonly Replacement[]): Promise<void> {
    const changed = new Set<string>();
    const moved = rows.filter((one) => {
      const names = namesOfChanges(table, one);
      for (const name of names) changed.add(name);
      return names.length > 0;
    });
    if (moved.length > 0) await this.transaction.update(table, moved.map(({ row }) => row) as never, changed);
  }

  private async load(
    table: Table,
    keys: Iterable<Key>,
    fetch: (missing: readonly Key[]) => Promise<readonly unknown[]>,
  ): Promise<void> {
    const held = this.heldOf(table);
    const wanted = new Map<string, Key>();
    for (const key of keys) {
      const text = keyText(key);
      if (!held.loaded.has(text)) wanted.set(text, key);
    }
    if (wanted.size === 0) return;
    const rows = (await fetch([...wanted.values()])) as readonly AnyRow[];
    for (const text of wanted.keys()) held.loaded.set(text, null);
    for (const row of rows) held.loaded.set(keyText(keyOf(table, row as never)), row);
  }

  private heldOf(table: Table): Held {
    const known = this.held.get(table.name);
    if (known !== undefined) return known;
    const made: Held = { table, loaded: new Map(), changed: new Map(), added: [], addedIfMissing: [] };
    this.held.set(table.name, made);
    return made;
  }
}

interface Replacement {
  readonly before: AnyRow;
  readonly row: AnyRow;
}

const namesOfChanges = (table: Table, { before, row }: Replacement): readonly string[] =>
  Object.keys(table.columns).filter((name) => before[name] !== row[name]);
