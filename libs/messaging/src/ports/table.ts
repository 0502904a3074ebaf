// A table as data: the SQL of the Postgres unit of work and the checks of its in-memory twin are both derived from it,
// so that the twin refuses what the database refuses.
import type { Cents, Instant } from '@compasso/kernel';

interface ColumnValues {
  readonly uuid: string;
  readonly text: string;
  /** Serialised JSON: never holds a raw 0x1f, so whole batches travel as one joined parameter. */
  readonly json: string;
  readonly cents: Cents;
  readonly bigint: bigint;
  readonly integer: number;
  readonly boolean: boolean;
  readonly instant: Instant;
  readonly date: string;
  readonly bytes: Uint8Array;
}
export type ColumnKind = keyof ColumnValues;

export interface Column<Kind extends ColumnKind = ColumnKind, Nullable extends boolean = boolean> {
  readonly kind: Kind;
  readonly nullable: Nullable;
  /** The database draws the value, growing from row to row; inserts leave it out. */
  readonly identity?: boolean;
}

export type Columns = Readonly<Record<string, Column>>;

type ValueOf<C> =
  C extends Column<infer Kind, infer Nullable>
    ? Nullable extends true
      ? ColumnValues[Kind] | null
      : ColumnValues[Kind]
    : never;

type Row<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> };
export type RowOf<T extends Table> = Row<T['columns']>;

export interface Unique {
  readonly name: string;
  readonly columns: readonly string[];
  /** A partial index: only rows of which this holds must differ. */
  readonly where?: (row: Readonly<Record<string, unknown>>) => boolean;
}

export interface Table<C extends Columns = Columns> {
  /** In the database: columns are the snake_case of the names used here. */
  readonly name: string;
  readonly columns: C;
  readonly key: readonly string[];
  readonly uniques: readonly Unique[];
  /** What the migration repeats as CHECK constraints, by the constraint's name. */
  readonly checks: Readonly<Record<string, (row: never) => boolean>>;
  readonly appendOnly: boolean;
}

type Definition<C extends Columns> = {
  readonly name: string;
  readonly columns: C;
  readonly key: readonly (keyof C & string)[];
  readonly uniques?: readonly Unique[];
  readonly checks?: Readonly<Record<string, (row: Row<C>) => boolean>>;
  readonly appendOnly?: boolean;
};

export const defineTable = <const C extends Columns>(definition: Definition<C>): Table<C> => ({
  uniques: [],
  checks: {},
  appendOnly: false,
  ...definition,
});

const column = <Kind extends ColumnKind>(kind: Kind): Column<Kind, false> => ({ kind, nullable: false });
export const uuid = column('uuid');
export const text = column('text');
export const json = column('json');
export const cents = column('cents');
export const bigint = column('bigint');
export const integer = column('integer');
export const boolean = column('boolean');
export const instant = column('instant');
export const date = column('date');
export const bytes = column('bytes');
export const identity = { kind: 'bigint', nullable: false, identity: true } as const;
export const nullable = <Kind extends ColumnKind>(of: Column<Kind, false>): Column<Kind, true> => ({
  kind: of.kind,
  nullable: true,
});

export type Key = readonly (string | number | bigint)[];

export const keyOf = <T extends Table>(table: T, row: RowOf<T>): Key =>
  table.key.map((name) => (row as Record<string, unknown>)[name] as string | number | bigint);

const separator = '\u001f';
/** A key as one comparable text, for maps and sets. */
export const keyText = (key: Key): string => key.join(separator);

/** Sorts as Postgres does for the kinds that keys have: numbers by value, texts and UUIDs by code unit ("C"). */
export function compareKeys(left: Key, right: Key): number {
  for (let at = 0; at < left.length; at += 1) {
    const [a, b] = [left[at]!, right[at]!];
    if (a < b) return -1;
    if (a > b) return 1;
  }
  return 0;
}
