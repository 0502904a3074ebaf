// Reads for the HTTP API, always of the projection that is shown now. They lock nothing and decide nothing.
import { ledgerEvents, partitionCount, partitionOf, payoutEvents } from '@compasso/contracts';
import { type Instant, instantOf } from '@compasso/kernel';
import type { DataSource } from 'typeorm';
import { readRow, selectionOf } from './read-rows.ts';
import {
  type EventRow,
  eventTable,
  type TransferViewRow,
  transferViewTable,
} from './tables.ts';
import { sagaOf } from './transfer-view-row.ts';

export interface ListPlace {
  readonly startedAt: Instant;
  readonly transferId: string;
}

export interface TransferFilter {
  /** Undefined = every account. */
  readonly accountIds: readonly string[] | undefined;
  readonly state: string | undefined;
  readonly attention: string | undefined;
  readonly after: ListPlace | undefined;
  readonly limit: number;
}

export class TransferQueries {
  private readonly source: DataSource;

  constructor(source: DataSource) {
    this.source = source;
  }

  async transfer(transferId: string): Promise<TransferViewRow | undefined> {
    const rows = await this.source.query<Raw[]>(`${shown} and v.transfer_id = $1`, [transferId]);
    return rows.map(toView)[0];
  }

  /** Newest first. */
  async transfers(filter: TransferFilter): Promise<readonly TransferViewRow[]> {
    const { accountIds, state, attention, after, limit } = filter;
    const rows = await this.source.query<Raw[]>(listSql, [
      accountIds ?? null,
      state ?? null,
      attention ?? null,
      after === undefined ? null : new Date(after.startedAt),
      after?.transferId ?? null,
      limit,
    ]);
    return rows.map(toView);
  }

  /** What was said about a transfer, and the refusals of commands that named it. */
  async eventsOf(row: TransferViewRow): Promise<readonly EventRow[]> {
    const refusals = sagaOf(row).trail.filter(({ origin }) => origin === 'command');
    const rows = await this.source.query<Raw[]>(eventsSql, [
      row.transferId,
      refusals.map(({ id }) => id),
    ]);
    return rows.map((raw) => readRow(eventTable, raw));
  }

  /** Read before the rows that it is shown with: what is true up to then is in them. */
  async progress(): Promise<Progress> {
    const rows = await this.source.query<Mark[]>(progressSql, [sagaTopics]);
    const known = rows.filter(({ topics }) => topics === sagaTopics.length);
    return new Progress(
      new Map(known.map(({ partition, asOf }) => [partition, instantOf(asOf.getTime())])),
    );
  }
}

/** How far was read. Everything that was published before the instant is in the views; null = not known yet. */
export class Progress {
  private readonly byPartition: ReadonlyMap<number, Instant>;

  constructor(byPartition: ReadonlyMap<number, Instant>) {
    this.byPartition = byPartition;
  }

  ofAccount(accountId: string): Instant | null {
    return this.byPartition.get(partitionOf(accountId)) ?? null;
  }

  ofAll(): Instant | null {
    if (this.byPartition.size < partitionCount) return null;
    return Math.min(...this.byPartition.values()) as Instant;
  }
}

interface Mark {
  readonly partition: number;
  readonly asOf: Date;
  readonly topics: number;
}

/** The topics that say where a transfer is. */
const sagaTopics = [ledgerEvents.name, payoutEvents.name];

type Raw = Record<string, unknown>;

const toView = (raw: Raw): TransferViewRow => readRow(transferViewTable, raw);

/** Without an account nobody knows whose it is, so nobody may see it. */
const shown = `
select ${selectionOf(transferViewTable, 'v')}
from transfer_view v
join projection p on p.name = 'transfers' and v.projection = p.current
where v.account_id is not null`;

const listSql = `${shown}
  and ($1::uuid[] is null or v.account_id = any($1::uuid[]))
  and ($2::text is null or v.state = $2)
  and ($3::text is null or v.attention = $3)
  and ($4::timestamptz is null or (v.started_at, v.transfer_id) < ($4, $5::uuid))
order by v.started_at desc, v.transfer_id desc
limit $6`;

const eventsSql = `
select ${selectionOf(eventTable, 'e')} from event e where e.subject = $1::text
union all
select ${selectionOf(eventTable, 'e')} from event e
where e.source = 'urn:compasso:ledger' and e.event_id = any($2::uuid[])`;

const progressSql = `
select partition, min(as_of) as "asOf", count(*)::int as topics
from reading where topic = any($1::text[]) group by partition`;
