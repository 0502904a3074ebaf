// Counts over what needs somebody: sagas that may still change, or that ask for attention. Both have small partial indexes;
// what has ended well is counted when it ends, not again and again.
import type { DataSource } from 'typeorm';

export interface OpenSagas {
  readonly byState: ReadonlyMap<string, number>;
  readonly byAttention: ReadonlyMap<string, number>;
  readonly oldestAgeSeconds: number;
}

export class SagaStatistics {
  private readonly source: DataSource;

  constructor(source: DataSource) {
    this.source = source;
  }

  async openSagas(): Promise<OpenSagas> {
    const rows = await this.source.query<Counted[]>(openSql);
    const oldest = rows.reduce((age, { oldestAgeSeconds }) => Math.max(age, oldestAgeSeconds), 0);
    return {
      byState: sumBy(rows, ({ state }) => state),
      byAttention: sumBy(rows, ({ attention }) => attention),
      oldestAgeSeconds: oldest,
    };
  }

  /** By topic: how far behind the clock its slowest partition was read. */
  async readingAges(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.source.query<{ topic: string; age: number }[]>(agesSql);
    return new Map(rows.map(({ topic, age }) => [topic, age]));
  }
}

interface Counted {
  readonly state: string;
  readonly attention: string;
  readonly count: number;
  readonly oldestAgeSeconds: number;
}

function sumBy(rows: readonly Counted[], wordOf: (row: Counted) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(wordOf(row), (sums.get(wordOf(row)) ?? 0) + row.count);
  return sums;
}

const openSql = `
select v.state, v.attention, count(*)::int as count,
  coalesce(extract(epoch from clock_timestamp() - min(v.started_at) filter (where v.ended_at is null)), 0)::float8
    as "oldestAgeSeconds"
from transfer_view v
join projection p on p.name = 'transfers' and v.projection = p.current
where v.look_at is not null or v.attention <> 'none'
group by v.state, v.attention`;

const agesSql = `
select topic, greatest(0, extract(epoch from clock_timestamp() - min(as_of)))::float8 as age
from reading group by topic`;
