import { type Instant } from '@compasso/kernel';
import type { DataSource } from 'typeorm';
import { readRow, selectionOf } from './read-rows.ts';
import { type CaseState, type ReviewCaseRow, reviewCaseTable } from './tables.ts';

export interface CasePlace {
  readonly at: Instant;
  readonly caseId: string;
}

export interface CaseFilter {
  /** Undefined = every account, and cases without one. */
  readonly accountIds: readonly string[] | undefined;
  readonly state: CaseState | undefined;
  readonly after: CasePlace | undefined;
  readonly limit: number;
}

export class CaseQueries {
  private readonly source: DataSource;

  constructor(source: DataSource) {
    this.source = source;
  }

  /** Newest first. */
  async cases(filter: CaseFilter): Promise<readonly ReviewCaseRow[]> {
    const { accountIds, state, after, limit } = filter;
    const rows = await this.source.query<Record<string, unknown>[]>(casesSql, [
      accountIds ?? null,
      state ?? null,
      after === undefined ? null : new Date(after.at),
      after?.caseId ?? null,
      limit,
    ]);
    return rows.map((raw) => readRow(reviewCaseTable, raw));
  }
}

/** Of a case whose beginning was not read yet only its end is known. */
export const placeOf = ({ openedAt, closedAt, caseId }: ReviewCaseRow): CasePlace => ({
  at: openedAt ?? closedAt!,
  caseId,
});

const casesSql = `
select ${selectionOf(reviewCaseTable, 'c')}
from review_case c
where ($1::uuid[] is null or c.account_id = any($1::uuid[]))
  and ($2::text is null or c.state = $2)
  and ($3::timestamptz is null
    or (coalesce(c.opened_at, c.closed_at), c.case_id) < ($3, $4::uuid))
order by coalesce(c.opened_at, c.closed_at) desc, c.case_id desc
limit $5`;
