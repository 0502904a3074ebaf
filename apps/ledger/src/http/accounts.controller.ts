import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
} from '@nestjs/common';
import {
  type Caller,
  CurrentCaller,
  idempotencyKey,
  RequireScope,
  validated,
} from '@compasso/runtime';
import { LedgerQueries } from '../postgres/ledger-queries.ts';
import { AccountDoor } from './account-door.ts';
import {
  accountIdParameter,
  blockBody,
  type BlockBody,
  depositBody,
  type DepositBody,
  entriesQuery,
  type EntriesQuery,
  openAccountBody,
  type OpenAccountBody,
  setLimitsBody,
  type SetLimitsBody,
} from './bodies.ts';
import { cursorFrom, cursorTo } from './cursor.ts';
import { unknownAccount } from './refusals.ts';
import {
  accountView,
  type AccountView,
  entryView,
  type EntryView,
  type MadeDeposit,
  type OpenedAccount,
} from './views.ts';

type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

interface EntriesPage {
  readonly accountId: string;
  readonly entries: readonly EntryView[];
  readonly nextCursor?: string;
}

@Controller('v1/accounts')
export class AccountsController {
  private readonly door: AccountDoor;
  private readonly queries: LedgerQueries;

  constructor(
    @Inject(AccountDoor) door: AccountDoor,
    @Inject(LedgerQueries) queries: LedgerQueries,
  ) {
    this.door = door;
    this.queries = queries;
  }

  @Post()
  @HttpCode(201)
  @RequireScope('accounts:write')
  open(
    @CurrentCaller() caller: Caller,
    @Headers() headers: RequestHeaders,
    @Body(validated(openAccountBody)) body: OpenAccountBody,
  ): Promise<OpenedAccount> {
    return this.door.open(caller, idempotencyKey(headers), body);
  }

  @Get(':accountId')
  @RequireScope('accounts:read')
  async read(
    @CurrentCaller() caller: Caller,
    @Param('accountId', validated(accountIdParameter)) accountId: string,
  ): Promise<AccountView> {
    caller.requireAccount(accountId);
    const seen = await this.queries.account(accountId);
    if (seen === undefined) throw unknownAccount();
    return accountView(seen.row, seen.at);
  }

  @Put(':accountId/limits')
  @RequireScope('accounts:write')
  setLimits(
    @CurrentCaller() caller: Caller,
    @Param('accountId', validated(accountIdParameter)) accountId: string,
    @Body(validated(setLimitsBody)) body: SetLimitsBody,
  ): Promise<AccountView> {
    return this.door.setLimits(caller, accountId, body);
  }

  @Post(':accountId/block')
  @HttpCode(200)
  @RequireScope('accounts:block')
  block(
    @CurrentCaller() caller: Caller,
    @Param('accountId', validated(accountIdParameter)) accountId: string,
    @Body(validated(blockBody)) { reason }: BlockBody,
  ): Promise<AccountView> {
    return this.door.setBlocked(caller, accountId, { isBlocked: true, reason });
  }

  @Post(':accountId/unblock')
  @HttpCode(200)
  @RequireScope('accounts:block')
  unblock(
    @CurrentCaller() caller: Caller,
    @Param('accountId', validated(accountIdParameter)) accountId: string,
    @Body(validated(blockBody)) { reason }: BlockBody,
  ): Promise<AccountView> {
    return this.door.setBlocked(caller, accountId, { isBlocked: false, reason });
  }

  @Get(':accountId/entries')
  @RequireScope('accounts:read')
  async entries(
    @CurrentCaller() caller: Caller,
    @Param('accountId', validated(accountIdParameter)) accountId: string,
    @Query(validated(entriesQuery)) query: EntriesQuery,
  ): Promise<EntriesPage> {
    caller.requireAccount(accountId);
    const before = query.cursor === undefined ? undefined : cursorFrom(query.cursor);
    const page = await this.queries.entries(accountId, { before, limit: query.limit });
    if (page === undefined) throw unknownAccount();
    const last = page.entries.at(-1);
    const next = page.hasMore && last !== undefined ? { nextCursor: cursorTo(last.position) } : {};
    return { accountId, entries: page.entries.map(entryView), ...next };
  }

  @Post(':accountId/deposits')
  @HttpCode(201)
  @RequireScope('deposits:write')
  deposit(
    @CurrentCaller() caller: Caller,
    @Headers() headers: RequestHeaders,
    @Param('accountId', validated(accountIdParameter)) accountId: string,
    @Body(validated(depositBody)) body: DepositBody,
  ): Promise<MadeDeposit> {
    return this.door.deposit(caller, accountId, { ...body, depositId: idempotencyKey(headers) });
  }
}
