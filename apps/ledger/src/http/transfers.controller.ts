import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post } from '@nestjs/common';
import {
  type Caller,
  CurrentCaller,
  idempotencyKey,
  RequireScope,
  validated,
} from '@compasso/runtime';
import { LedgerQueries } from '../postgres/ledger-queries.ts';
import {
  cancelBody,
  type CancelBody,
  transferBody,
  type TransferBody,
  transferIdParameter,
} from './bodies.ts';
import { unknownTransfer } from './refusals.ts';
import { TransferDoor } from './transfer-door.ts';
import { type AcceptedCancel, type AcceptedTransfer, transferView, type TransferView } from './views.ts';

@Controller('v1/transfers')
export class TransfersController {
  private readonly door: TransferDoor;
  private readonly queries: LedgerQueries;

  constructor(
    @Inject(TransferDoor) door: TransferDoor,
    @Inject(LedgerQueries) queries: LedgerQueries,
  ) {
    this.door = door;
    this.queries = queries;
  }

  @Post()
  @HttpCode(202)
  @RequireScope('transfers:write')
  request(
    @CurrentCaller() caller: Caller,
    @Headers() headers: Readonly<Record<string, string | readonly string[] | undefined>>,
    @Body(validated(transferBody)) body: TransferBody,
  ): Promise<AcceptedTransfer> {
    return this.door.request(caller, idempotencyKey(headers), body);
  }

  /** No Idempotency-Key: a cancellation names its transfer, and saying it again changes nothing. */
  @Post(':transferId/cancel')
  @HttpCode(202)
  @RequireScope('transfers:write')
  cancel(
    @CurrentCaller() caller: Caller,
    @Param('transferId', validated(transferIdParameter)) transferId: string,
    @Body(validated(cancelBody)) body: CancelBody,
  ): Promise<AcceptedCancel> {
    return this.door.cancel(caller, transferId, body);
  }

  @Get(':transferId')
  @RequireScope('transfers:read')
  async read(
    @CurrentCaller() caller: Caller,
    @Param('transferId', validated(transferIdParameter)) transferId: string,
  ): Promise<TransferView> {
    const row = await this.queries.transfer(transferId);
    // To whom it does not belong, it is not there.
    if (row === undefined || !caller.mayUse(row.accountId)) throw unknownTransfer();
    return transferView(row);
  }
}
