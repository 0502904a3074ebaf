// Rows as table definitions know them, out of plain reads: the driver gives 64-bit integers as text and instants as dates.
import { centsOf, instantOf } from '@compasso/kernel';
import type { Column, RowOf, Table } from '@compasso/messaging';

const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `alias."account_id" as "accountId", …` */
export const selectionOf = (table: Table, alias: string): string =>
  Object.keys(table.columns)
    .map((name) => `${alias}."${snake(name)}" as "${name}"`)
    .join(', ');

export function readRow<T extends Table>(
  table: T,
  raw: Readonly<Record<string, unknown>>,
): RowOf<T> {
  const entries = Object.entries(table.columns).map(([name, column]) => [
    name,
    valueOf(column, raw[name]),
  ]);
  return Object.fromEntries(entries) as RowOf<T>;
}

function valueOf({ kind }: Column, value: unknown): unknown {
  if (value === null) return null;
  switch (kind) {
    case 'cents':
      return centsOf(BigInt(value as string));
    case 'bigint':
      return BigInt(value as string);
    case 'instant':
      return instantOf((value as Date).getTime());
    default:
      return value;
  }
}
