// Reads for operators and gauges. They lock nothing and decide nothing.
import { type Cents, centsOf, type Instant, instantOf } from '@compasso/kernel';
import type { RowOf, Table } from '@compasso/messaging';
import type { DataSource } from 'typeorm';
import {
  attemptTable,
  instructionTable,
  payoutTable,
  queryAnswerTable,
  webhookDeliveryTable,
} from './tables.ts';

export interface PayoutHistory {
  readonly instruction: RowOf<typeof instructionTable>;
  readonly payout: RowOf<typeof payoutTable>;
  readonly attempts: readonly RowOf<typeof attemptTable>[];
  readonly answers: readonly RowOf<typeof queryAnswerTable>[];
  readonly deliveries: readonly RowOf<typeof webhookDeliveryTable>[];
}

export interface OpenPayouts {
  readonly byState: Readonly<Record<string, number>>;
  readonly unreadablePayees: number;
  readonly oldestUnknownSeconds: number;
}

export class PayoutQueries {
  private readonly source: DataSource;

  constructor(source: DataSource) {
    this.source = source;
  }

  async history(transferId: string): Promise<PayoutHistory | undefined> {
    const [instruction] = await this.rows(instructionTable, 'where transfer_id = $1', [transferId]);
    const [payout] = await this.rows(payoutTable, 'where transfer_id = $1', [transferId]);
    if (instruction === undefined || payout === undefined) return undefined;
    const ofTransfer = 'where transfer_id = $1 order by';
    return {
      instruction,
      payout,
      attempts: await this.rows(attemptTable, `${ofTransfer} attempt`, [transferId]),
      answers: await this.rows(queryAnswerTable, `${ofTransfer} number`, [transferId]),
      deliveries: await this.rows(
        webhookDeliveryTable,
        'where provider = $1 and provider_order_id = $2 order by received_at limit 100',
        [instruction.provider, instruction.providerOrderId],
      ),
    };
  }

  /** The youngest order that this provider must know: it said that it was paid. */
  async knownOrder(provider: string): Promise<string | undefined> {
    const [row] = await this.source.query<{ id: string }[]>(
      `select i.provider_order_id as id from payout p join instruction i using (transfer_id)
        where i.provider = $1 and p.state = 'confirmed' order by p.updated_at desc limit 1`,
      [provider],
    );
    return row?.id;
  }

  async open(): Promise<OpenPayouts> {
    const rows = await this.source.query<OpenRow[]>(openSql);
    const byState = Object.fromEntries(rows.map(({ state, payouts }) => [state, Number(payouts)]));
    const unknown = rows.find(({ state }) => state === 'unknown');
    const queued = rows.find(({ state }) => state === 'queued');
    return {
      byState,
      unreadablePayees: Number(queued?.unreadable ?? 0),
      oldestUnknownSeconds: Number(unknown?.oldest ?? 0),
    };
  }

  private async rows<T extends Table>(table: T, clause: string, values: unknown[]): Promise<RowOf<T>[]> {
    const columns = Object.keys(table.columns).map((name) => `${snake(name)} as "${name}"`);
    const sql = `select ${columns.join(', ')} from ${table.name} ${clause}`;
    const raw = await this.source.query<Record<string, unknown>[]>(sql, values);
    return raw.map((row) => readRow(table, row));
  }
}

interface OpenRow {
  readonly state: string;
  readonly payouts: string;
  readonly unreadable: string;
  readonly oldest: string | null;
}

const openSql = `
  select state, count(*) as payouts,
    count(*) filter (where last_answer = 'payee_unreadable') as unreadable,
    extract(epoch from clock_timestamp() - min(first_attempt_at)) as oldest
  from payout where due_at is not null group by state`;

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** TypeORM's pool speaks the driver's default types: text for bigint, Date for timestamps. */
function readRow<T extends Table>(table: T, raw: Record<string, unknown>): RowOf<T> {
  const row: Record<string, unknown> = {};
  for (const [name, { kind }] of Object.entries(table.columns)) row[name] = readValue(kind, raw[name]);
  return row as RowOf<T>;
}

function readValue(kind: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'instant') return instantOf((value as Date).getTime()) satisfies Instant;
  if (kind === 'cents') return centsOf(BigInt(value as string)) satisfies Cents;
  return value;
}
