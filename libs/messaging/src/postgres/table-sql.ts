// SQL from table definitions: set-based statements whose text depends on the table alone, so that each is prepared once
// per connection. Arrays travel as one literal per column (performance.md 1d).
import { type Instant, instantToWire } from '@compasso/kernel';
import type { Column, ColumnKind, Key, RowOf, Table } from '../ports/table.ts';

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const quoted = (name: string): string => `"${snake(name)}"`;

const sqlTypes: Record<ColumnKind, string> = {
  uuid: 'uuid',
  text: 'text',
  json: 'text',
  cents: 'bigint',
  bigint: 'bigint',
  integer: 'integer',
  boolean: 'boolean',
  instant: 'timestamptz',
  date: 'date',
  bytes: 'bytea',
};

const between = '\u001f';
const nothing = '\u001e';

/** Kinds whose texts never need quoting inside an array literal. */
const literal = new Set<ColumnKind>(['uuid', 'cents', 'bigint', 'integer', 'boolean', 'instant', 'date']);

const literalText = (kind: ColumnKind, value: unknown): string => {
  if (value === null) return 'NULL';
  return kind === 'instant' ? instantToWire(value as Instant) : String(value);
};

function arrayParameter({ kind }: Column, values: readonly unknown[]): unknown {
  if (kind === 'json') return values.map((value) => value ?? nothing).join(between);
  if (literal.has(kind)) return `{${values.map((value) => literalText(kind, value)).join(',')}}`;
  return values;
}

const arrayExpression = ({ kind }: Column, at: number): string =>
  kind === 'json'
    ? `string_to_array($${at}::text, E'\\x1f', E'\\x1e')`
    : `$${at}::${sqlTypes[kind]}[]`;

const columnsOf = (table: Table): [string, Column][] => Object.entries(table.columns);
const writableOf = (table: Table): [string, Column][] =>
  columnsOf(table).filter(([, column]) => column.identity !== true);

const selection = (table: Table, alias: string): string =>
  columnsOf(table)
    .map(([name]) => `${alias}.${quoted(name)} as "${name}"`)
    .join(', ');

const unnested = (columns: readonly [string, Column][], alias: string, from = 1): string =>
  `unnest(${columns.map(([, column], at) => arrayExpression(column, at + from)).join(', ')}) as ${alias}(${columns
    .map(([name]) => quoted(name))
    .join(', ')})`;

const parameters = (columns: readonly [string, Column][], rows: readonly unknown[]): unknown[] =>
  columns.map(([name, column]) =>
    arrayParameter(column, rows.map((row) => (row as Record<string, unknown>)[name])),
  );

const keyColumns = (table: Table): [string, Column][] =>
  table.key.map((name) => [name, table.columns[name]!] as [string, Column]);

const keyParameters = (table: Table, keys: readonly Key[]): unknown[] =>
  keyColumns(table).map(([, column], at) => arrayParameter(column, keys.map((key) => key[at])));

const sameKey = (table: Table, left: string, right: string): string =>
  table.key.map((name) => `${left}.${quoted(name)} = ${right}.${quoted(name)}`).join(' and ');

const keyOrder = (table: Table, alias: string): string =>
  table.key.map((name) => `${alias}.${quoted(name)}${orderOf(table.columns[name]!)}`).join(', ');

/** Texts are compared by bytes, as the in-memory twin does, whatever the database's collation. */
const orderOf = ({ kind }: Column): string => (kind === 'text' ? ' collate "C"' : '');

export function selectByKeys(table: Table, keys: readonly Key[], lock: boolean): Statement {
  const single = table.key.length === 1;
  const [name, column] = keyColumns(table)[0]!;
  const source = single
    ? `from ${table.name} t where t.${quoted(name)} = any(${arrayExpression(column, 1)})`
    : `from ${unnested(keyColumns(table), 'k')} join ${table.name} t on ${sameKey(table, 't', 'k')}`;
  return {
    name: `${lock ? 'lock' : 'read'}:${table.name}`,
    text: `select ${selection(table, 't')} ${source} order by ${keyOrder(table, 't')}${lock ? ' for update of t' : ''}`,
    values: keyParameters(table, keys),
  };
}

export function insertRows(table: Table, rows: readonly unknown[], onlyMissing: boolean): Statement {
  const columns = writableOf(table);
  const names = columns.map(([name]) => quoted(name)).join(', ');
  const returning = table.key.map((name) => `${quoted(name)} as "${name}"`).join(', ');
  const conflict = onlyMissing ? ` on conflict do nothing returning ${returning}` : '';
  return {
    name: `${onlyMissing ? 'insert-missing' : 'insert'}:${table.name}`,
    text: `insert into ${table.name} (${names}) select ${names} from ${unnested(columns, 'u')}${conflict}`,
    values: parameters(columns, rows),
  };
}

export function updateRows(table: Table, rows: readonly unknown[]): Statement {
  const columns = columnsOf(table);
  const changes = columns
    .filter(([name]) => !table.key.includes(name))
    .map(([name]) => `${quoted(name)} = u.${quoted(name)}`)
    .join(', ');
  return {
    name: `update:${table.name}`,
    text: `update ${table.name} t set ${changes} from ${unnested(columns, 'u')} where ${sameKey(table, 't', 'u')}`,
    values: parameters(columns, rows),
  };
}

export function removeKeys(table: Table, keys: readonly Key[]): Statement {
  return {
    name: `remove:${table.name}`,
    text: `delete from ${table.name} t using ${unnested(keyColumns(table), 'k')} where ${sameKey(table, 't', 'k')}`,
    values: keyParameters(table, keys),
  };
}

interface Ordered {
  readonly column: string;
  readonly limit: number;
  readonly where?: object;
  readonly after?: string | number | bigint;
}

export function selectOldest(table: Table, options: Ordered): Statement {
  return ordered(table, options, { verb: 'oldest', condition: '', suffix: '' });
}

export function selectDue(table: Table, options: Ordered): Statement {
  return ordered(table, options, {
    verb: 'due',
    condition: `t.${quoted(options.column)} <= clock_timestamp()`,
    suffix: ' for update of t skip locked',
  });
}

interface Verb {
  readonly verb: string;
  readonly condition: string;
  readonly suffix: string;
}

function ordered(table: Table, options: Ordered, { verb, condition, suffix }: Verb): Statement {
  const filters = Object.entries(options.where ?? {});
  const parameter = (name: string, at: number): string => `$${at + 2}::${sqlTypes[table.columns[name]!.kind]}`;
  const order = `t.${quoted(options.column)}${orderOf(table.columns[options.column]!)}`;
  const pages = options.after === undefined ? [] : [options.after];
  const conditions = [
    ...(condition === '' ? [] : [condition]),
    ...filters.map(([name], at) => `t.${quoted(name)} = ${parameter(name, at)}`),
    ...pages.map(() => `${order} > ${parameter(options.column, filters.length)}`),
  ];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  return {
    name: `${verb}:${table.name}:${options.column}:${filters.map(([name]) => name).join(',')}${pages.length === 0 ? '' : ':after'}`,
    text: `select ${selection(table, 't')} from ${table.name} t${where} order by ${order} limit $1${suffix}`,
    values: [
      options.limit,
      ...filters.map(([name, value]) =>
        table.columns[name]!.kind === 'instant' ? instantToWire(value as Instant) : value,
      ),
      ...pages,
    ],
  };
}

/** The driver's values of a row, in the kinds of the table. */
export function readRow<T extends Table>(table: T, raw: Record<string, unknown>): RowOf<T> {
  for (const [name, { kind }] of columnsOf(table)) {
    const value = raw[name];
    if (kind === 'integer' && typeof value === 'bigint') raw[name] = Number(value);
  }
  return raw as RowOf<T>;
}
