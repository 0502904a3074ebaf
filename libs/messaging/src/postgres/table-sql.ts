// SQL from table definitions: set-based statements whose text depends on the table alone, so that each is prepared once
// per connection. Arrays travel as one literal per column (performance.md 1d).
import { type Instant, instantToWire } from '@compasso/kernel';
import type { Column, ColumnKind, Key, Table } from '../ports/table.ts';

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

type NamedColumn = readonly [name: string, column: Column];

/** JSON never holds a separator, and texts hardly ever: then a column travels as one text, without any quoting. */
const travelsJoined = (kind: ColumnKind, quotesTexts: boolean): boolean =>
  kind === 'json' || (kind === 'text' && !quotesTexts);

function arrayParameter({ kind }: Column, values: readonly unknown[], quotesTexts: boolean): unknown {
  if (travelsJoined(kind, quotesTexts)) return values.map((value) => value ?? nothing).join(between);
  if (literal.has(kind)) return `{${values.map((value) => literalText(kind, value)).join(',')}}`;
  return values;
}

const arrayExpression = ({ kind }: Column, at: number, quotesTexts: boolean): string =>
  travelsJoined(kind, quotesTexts)
    ? `string_to_array($${at}::text, E'\\x1f', E'\\x1e')`
    : `$${at}::${sqlTypes[kind]}[]`;

/** A joined text can neither hold a separator nor be the only, empty one: that would be no element at all. */
const needsQuotes = (columns: readonly NamedColumn[], rows: readonly Values[]): boolean =>
  columns.some(
    ([name, { kind }]) => kind === 'text' && rows.some((row) => isHardToJoin(row[name] as string | null)),
  );

const isHardToJoin = (text: string | null): boolean =>
  text !== null && (text === '' || text.includes(between) || text.includes(nothing));

type Values = Readonly<Record<string, unknown>>;

const selection = (table: Table, alias: string): string =>
  Object.keys(table.columns)
    .map((name) => `${alias}.${quoted(name)} as "${name}"`)
    .join(', ');

interface Unnesting {
  readonly columns: readonly NamedColumn[];
  readonly alias: string;
  readonly quotesTexts: boolean;
}

const unnested = ({ columns, alias, quotesTexts }: Unnesting): string =>
  `unnest(${columns.map(([, column], at) => arrayExpression(column, at + 1, quotesTexts)).join(', ')}) as ${alias}(${columns
    .map(([name]) => quoted(name))
    .join(', ')})`;

const parameters = (columns: readonly NamedColumn[], rows: readonly Values[], quotesTexts: boolean): unknown[] =>
  columns.map(([name, column]) => arrayParameter(column, rows.map((row) => row[name]), quotesTexts));

const sameKey = (table: Table, left: string, right: string): string =>
  table.key.map((name) => `${left}.${quoted(name)} = ${right}.${quoted(name)}`).join(' and ');

const keyOrder = (table: Table, alias: string): string =>
  table.key.map((name) => `${alias}.${quoted(name)}${orderOf(table.columns[name]!)}`).join(', ');

/** Texts are compared by bytes, as the in-memory twin does, whatever the database's collation. */
const orderOf = ({ kind }: Column): string => (kind === 'text' ? ' collate "C"' : '');

/** What of a table's definition every statement needs, and the texts of its statements: written once. */
interface Shape {
  readonly columns: readonly NamedColumn[];
  readonly writable: readonly NamedColumn[];
  readonly key: readonly NamedColumn[];
  readonly texts: Map<string, string>;
}

const shapes = new WeakMap<Table, Shape>();

function shapeOf(table: Table): Shape {
  const known = shapes.get(table);
  if (known !== undefined) return known;
  const columns = Object.entries(table.columns);
  const shape: Shape = {
    columns,
    writable: columns.filter(([, column]) => column.identity !== true),
    key: table.key.map((name) => [name, table.columns[name]!] as const),
    texts: new Map(),
  };
  shapes.set(table, shape);
  return shape;
}

interface Wanted {
  /** Of columns, over all rows: what travels. */
  readonly columns: readonly NamedColumn[];
  readonly rows: readonly Values[];
  readonly verb: string;
  readonly text: (unnesting: { readonly quotesTexts: boolean }) => string;
}

function statement(table: Table, { columns, rows, verb, text }: Wanted): Statement {
  const quotesTexts = needsQuotes(columns, rows);
  const name = `${verb}:${table.name}${quotesTexts ? ':quoted' : ''}`;
  const { texts } = shapeOf(table);
  let known = texts.get(name);
  if (known === undefined) texts.set(name, (known = text({ quotesTexts })));
  return { name, text: known, values: parameters(columns, rows, quotesTexts) };
}

const rowsOfKeys = (table: Table, keys: readonly Key[]): readonly Values[] =>
  keys.map((key) => Object.fromEntries(table.key.map((name, at) => [name, key[at]])));

export function selectByKeys(table: Table, keys: readonly Key[], lock: boolean): Statement {
  const { key: columns } = shapeOf(table);
  const [name, column] = columns[0]!;
  const source = (quotesTexts: boolean): string =>
    columns.length === 1
      ? `from ${table.name} t where t.${quoted(name)} = any(${arrayExpression(column, 1, quotesTexts)})`
      : `from ${unnested({ columns, alias: 'k', quotesTexts })} join ${table.name} t on ${sameKey(table, 't', 'k')}`;
  return statement(table, {
    columns,
    rows: rowsOfKeys(table, keys),
    verb: lock ? 'lock' : 'read',
    text: ({ quotesTexts }) =>
      `select ${selection(table, 't')} ${source(quotesTexts)} order by ${keyOrder(table, 't')}${lock ? ' for update of t' : ''}`,
  });
}

export function insertRows(table: Table, rows: readonly unknown[], onlyMissing: boolean): Statement {
  const { writable: columns } = shapeOf(table);
  return statement(table, {
    columns,
    rows: rows as readonly Values[],
    verb: onlyMissing ? 'insert-missing' : 'insert',
    text({ quotesTexts }) {
      const names = columns.map(([name]) => quoted(name)).join(', ');
      const returning = table.key.map((name) => `${quoted(name)} as "${name}"`).join(', ');
      const conflict = onlyMissing ? ` on conflict do nothing returning ${returning}` : '';
      return `insert into ${table.name} (${names}) select ${names} from ${unnested({ columns, alias: 'u', quotesTexts })}${conflict}`;
    },
  });
}

/** @param changed the columns to write; all others are known to be as they are */
export function updateRows(table: Table, rows: readonly unknown[], changed: ReadonlySet<string>): Statement {
  const { columns: all } = shapeOf(table);
  const columns = all.filter(([name]) => table.key.includes(name) || changed.has(name));
  // Which columns, as a number: the names of all of them would not fit into a statement's name.
  const which = all.reduce((sum, [name], at) => (changed.has(name) ? sum + 2 ** at : sum), 0);
  return statement(table, {
    columns,
    rows: rows as readonly Values[],
    verb: `update-${which.toString(36)}`,
    text({ quotesTexts }) {
      const changes = columns
        .filter(([name]) => !table.key.includes(name))
        .map(([name]) => `${quoted(name)} = u.${quoted(name)}`)
        .join(', ');
      return `update ${table.name} t set ${changes} from ${unnested({ columns, alias: 'u', quotesTexts })} where ${sameKey(table, 't', 'u')}`;
    },
  });
}

export function removeKeys(table: Table, keys: readonly Key[]): Statement {
  const { key: columns } = shapeOf(table);
  return statement(table, {
    columns,
    rows: rowsOfKeys(table, keys),
    verb: 'remove',
    text: ({ quotesTexts }) =>
      `delete from ${table.name} t using ${unnested({ columns, alias: 'k', quotesTexts })} where ${sameKey(table, 't', 'k')}`,
  });
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
    // Asked once, so that an index can answer: compared row by row, the clock is read for every row that waits.
    condition: `t.${quoted(options.column)} <= (select clock_timestamp())`,
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
