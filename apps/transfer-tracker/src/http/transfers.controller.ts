import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { type Instant, instantToWire } from '@compasso/kernel';
import { Caller, CurrentCaller, RequireScope, validated } from '@compasso/runtime';
import type { TransferViewRow } from '../postgres/tables.ts';
import { TransferQueries } from '../postgres/transfer-queries.ts';
import { accountsOf } from './accounts-of.ts';
import { cursorTo, placeFrom } from './cursor.ts';
import { unknownTransfer } from './problems.ts';
import { transferIdParameter, transfersQuery, type TransfersQuery } from './queries.ts';
import { timelineOf, type TimelineStep } from './timeline.ts';
import { transferAnswer, type TransferAnswer } from './transfer-answer.ts';

export interface TransfersPage {
  readonly transfers: readonly TransferAnswer[];
  readonly nextCursor?: string;
  readonly asOf: string | null;
}

export interface TimelineAnswer {
  readonly transfer: TransferAnswer;
  readonly steps: readonly TimelineStep[];
}

@Controller('v1/transfers')
@RequireScope('transfers:read')
export class TransfersController {
  private readonly queries: TransferQueries;

  constructor(@Inject(TransferQueries) queries: TransferQueries) {
    this.queries = queries;
  }

  @Get()
  async list(
    @CurrentCaller() caller: Caller,
    @Query(validated(transfersQuery)) query: TransfersQuery,
  ): Promise<TransfersPage> {
    const { accountId, state, attention, cursor, limit } = query;
    const place = placeFrom(cursor);
    const accountIds = accountsOf(caller, accountId);
    const progress = await this.queries.progress();
    const rows = await this.queries.transfers({
      accountIds,
      state,
      attention,
      after: place && { startedAt: place.at, transferId: place.id },
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      transfers: shown.map((row) => transferAnswer(row, progress.ofAccount(row.accountId!))),
      ...(last && { nextCursor: cursorTo({ at: last.startedAt, id: last.transferId }) }),
      ...asOfIn(accountId === undefined ? progress.ofAll() : progress.ofAccount(accountId)),
    };
  }

  @Get(':transferId')
  async read(
    @CurrentCaller() caller: Caller,
    @Param('transferId', validated(transferIdParameter)) transferId: string,
  ): Promise<TransferAnswer> {
    const { row, asOf } = await this.find(caller, transferId);
    return transferAnswer(row, asOf);
  }

  @Get(':transferId/timeline')
  async timeline(
    @CurrentCaller() caller: Caller,
    @Param('transferId', validated(transferIdParameter)) transferId: string,
  ): Promise<TimelineAnswer> {
    const { row, asOf } = await this.find(caller, transferId);
    const events = await this.queries.eventsOf(row);
    return { transfer: transferAnswer(row, asOf), steps: timelineOf(row, events) };
  }

  private async find(
    caller: Caller,
    transferId: string,
  ): Promise<{ readonly row: TransferViewRow; readonly asOf: Instant | null }> {
    const progress = await this.queries.progress();
    const row = await this.queries.transfer(transferId);
    // To whom it does not belong, it is not there.
    const accountId = row?.accountId ?? null;
    if (row === undefined || accountId === null || !caller.mayUse(accountId)) {
      throw unknownTransfer(progress.ofAll());
    }
    return { row, asOf: progress.ofAccount(accountId) };
  }
}

const asOfIn = (asOf: Instant | null): Pick<TransfersPage, 'asOf'> => ({
  asOf: asOf === null ? null : instantToWire(asOf),
});
