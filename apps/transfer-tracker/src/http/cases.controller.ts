import { Controller, Get, Inject, Query } from '@nestjs/common';
import { type Instant, instantToWire } from '@compasso/kernel';
import { Caller, CurrentCaller, RequireScope, validated } from '@compasso/runtime';
import { CaseQueries, placeOf } from '../postgres/case-queries.ts';
import type { ReviewCaseRow } from '../postgres/tables.ts';
import { accountsOf } from './accounts-of.ts';
import { cursorTo, placeFrom } from './cursor.ts';
import { casesQuery, type CasesQuery } from './queries.ts';

export interface CaseAnswer {
  readonly caseId: string;
  readonly kind: string;
  /** Who opened it, and applies what is decided. */
  readonly service: string;
  readonly reason?: string;
  readonly transferId?: string;
  readonly accountId?: string;
  readonly state: string;
  readonly openedAt?: string;
  readonly closedAt?: string;
  readonly closedBy?: string;
}

export interface CasesPage {
  readonly cases: readonly CaseAnswer[];
  readonly nextCursor?: string;
}

@Controller('v1/cases')
@RequireScope('cases:read')
export class CasesController {
  private readonly queries: CaseQueries;

  constructor(@Inject(CaseQueries) queries: CaseQueries) {
    this.queries = queries;
  }

  @Get()
  async list(
    @CurrentCaller() caller: Caller,
    @Query(validated(casesQuery)) { state, accountId, cursor, limit }: CasesQuery,
  ): Promise<CasesPage> {
    const place = placeFrom(cursor);
    const rows = await this.queries.cases({
      accountIds: accountsOf(caller, accountId),
      state,
      after: place && { at: place.at, caseId: place.id },
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.map(placeOf).at(-1) : undefined;
    return {
      cases: shown.map(caseAnswer),
      ...(last && { nextCursor: cursorTo({ at: last.at, id: last.caseId }) }),
    };
  }
}

const caseAnswer = (row: ReviewCaseRow): CaseAnswer => ({
  caseId: row.caseId,
  kind: row.kind,
  service: row.source.replace(/^urn:compasso:/, ''),
  ...(row.reason !== null && { reason: row.reason }),
  ...(row.transferId !== null && { transferId: row.transferId }),
  ...(row.accountId !== null && { accountId: row.accountId }),
  state: row.state,
  ...instants(row),
  ...(row.closedBy !== null && { closedBy: row.closedBy }),
});

const instants = ({ openedAt, closedAt }: ReviewCaseRow) => ({
  ...wireIn('openedAt', openedAt),
  ...wireIn('closedAt', closedAt),
});

const wireIn = <Name extends string>(name: Name, at: Instant | null) =>
  (at === null ? {} : { [name]: instantToWire(at) }) as Partial<Record<Name, string>>;
