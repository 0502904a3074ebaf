// The statements of a rebuild that look at whole tables: on a connection of their own, without the time limits of requests.
import { contracts } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import { DataSource } from 'typeorm';
import { notOfTransfers } from '../kafka/saga-event-of.ts';
import { readRow, selectionOf } from './read-rows.ts';
import { type EventRow, eventTable } from './tables.ts';

export interface Comparison {
  readonly same: number;
  readonly differing: number;
  /** Shown, and built from no event that topics or store still have. */
  readonly onlyShown: number;
  readonly onlyBuilt: number;
  /** Some of those that are not the same. */
  readonly examples: readonly string[];
}

export interface EventPlace {
  readonly source: string;
  readonly eventId: string;
}

export class RebuildStore {
  private readonly source: DataSource;

  private constructor(source: DataSource) {
    this.source = source;
  }

  static async connect(url: string): Promise<RebuildStore> {
    const source = new DataSource({
      type: 'postgres',
      url,
      applicationName: 'transfer-tracker-rebuild',
      // A lost connection also fails the query at hand; without a listener it would end the process first.
      poolErrorHandler: () => undefined,
      connectTimeoutMS: 5_000,
      entities: [],
      extra: { max: 1, keepAlive: true },
    });
    return new RebuildStore(await source.initialize());
  }

  /** Rows of projections that are neither shown nor built: left by rebuilds that ended or gave up. */
  async removeOthers(building: number): Promise<void> {
    let removed: number = limits.removedMax;
    while (removed === limits.removedMax) {
      const rows = await this.source.query<readonly [readonly unknown[], number]>(removeSql, [
        building,
        limits.removedMax,
      ]);
      removed = rows[1];
    }
  }

  /** Stored events that are folded nowhere in what is being built, page by page: the topics no longer hold them. */
  async unfolded(building: number, after: EventPlace | undefined): Promise<readonly EventRow[]> {
    const rows = await this.source.query<Record<string, unknown>[]>(unfoldedSql, [
      building,
      after?.source ?? '',
      after?.eventId ?? '00000000-0000-0000-0000-000000000000',
      limits.eventsMax,
    ]);
    return rows.map((raw) => readRow(eventTable, raw));
  }

  /** In one snapshot, so that live batches, which write both at once, do not show. Attention is no part of it (H26). */
  async compare(shown: number, built: number): Promise<Comparison> {
    const [counts] = await this.source.query<Record<string, string>[]>(compareSql, [shown, built]);
    if (counts === undefined) throw new CodedError('comparison_failed', 'A count has no answer.');
    const examples = await this.source.query<Named[]>(differingSql, [shown, built]);
    const count = (name: string): number => Number(counts[name]);
    return {
      same: count('same'),
      differing: count('differing'),
      onlyShown: count('only_shown'),
      onlyBuilt: count('only_built'),
      examples: examples.map(({ transferId }) => transferId),
    };
  }

  /** Transfers of which the public would be told something else. */
  async publiclyDiffering(shown: number, built: number): Promise<readonly string[]> {
    const rows = await this.source.query<Named[]>(publicSql, [shown, built]);
    return rows.map(({ transferId }) => transferId);
  }

  async all(projection: number): Promise<readonly string[]> {
    const rows = await this.source.query<Named[]>(allSql, [projection]);
    return rows.map(({ transferId }) => transferId);
  }

  async close(): Promise<void> {
    await this.source.destroy();
  }
}

interface Named {
  readonly transferId: string;
}

const limits = { removedMax: 5_000, eventsMax: 500 } as const;

const removeSql = `
delete from transfer_view where ctid = any(array(
  select v.ctid from transfer_view v, projection p
  where p.name = 'transfers' and v.projection not in (p.current, $1) limit $2))`;

const typesOfOthers = contracts
  .filter(({ name }) => notOfTransfers.has(name))
  .map(({ type }) => `'${type}'`)
  .join(', ');

/** Subjects are text, because events of other kinds have other subjects; only UUIDs can be transfers. */
const unfoldedSql = `
select ${selectionOf(eventTable, 'e')} from event e
where (e.source, e.event_id) > ($2, $3::uuid)
  and e.type not in (${typesOfOthers})
  and not exists (
    select 1 from transfer_view v
    where v.projection = $1
      and v.transfer_id = case when e.subject ~ '^[0-9a-f-]{36}$' then e.subject::uuid end
      and strpos(v.saga, e.event_id::text) > 0)
order by e.source, e.event_id limit $4`;

const foldedColumns = [
  'account_id',
  'amount_cents',
  'ledger_word',
  'ledger_sequence',
  'gateway_word',
  'gateway_sequence',
  'state',
  'money',
  'certainty',
  'reason',
  'version',
  'flags',
];
const publicColumns = ['account_id', 'state', 'money', 'certainty', 'attention', 'reason'];

const tuple = (alias: string, columns: readonly string[]): string =>
  `(${columns.map((column) => `${alias}.${column}`).join(', ')})`;

const differ = (columns: readonly string[]): string =>
  `${tuple('s', columns)} is distinct from ${tuple('b', columns)}`;

const both = `
(select * from transfer_view where projection = $1) s
full join (select * from transfer_view where projection = $2) b using (transfer_id)`;

const compareSql = `
select
  count(*) filter (where b.projection is null) as only_shown,
  count(*) filter (where s.projection is null) as only_built,
  count(*) filter (where s.projection is not null and b.projection is not null
    and ${differ(foldedColumns)}) as differing,
  count(*) filter (where s.projection is not null and b.projection is not null
    and not ${differ(foldedColumns)}) as same
from ${both}`;

const differingSql = `
select transfer_id as "transferId" from ${both}
where ${differ(foldedColumns)} order by transfer_id limit 5`;

const publicSql = `
select transfer_id as "transferId" from ${both}
where b.account_id is not null and ${differ(publicColumns)} order by transfer_id`;

const allSql = `
select transfer_id as "transferId" from transfer_view
where projection = $1 and account_id is not null order by transfer_id`;
