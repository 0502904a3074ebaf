import { Controller, Get, Inject, Param } from '@nestjs/common';
import { isUuid } from '@compasso/kernel';
import { type Caller, CurrentCaller, RequireScope, validated } from '@compasso/runtime';
import { z } from 'zod';
import { PayoutQueries } from '../postgres/payout-queries.ts';
import { type PayoutView, payoutView } from './payout-view.ts';
import { unknownPayout } from './refusals.ts';

const transferIdParameter = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(isUuid, { params: { code: 'not_a_uuid' } });

/** For operators: what was sent, what was asked, and what is known of a payout. */
@Controller('v1/payouts')
export class PayoutsController {
  private readonly queries: PayoutQueries;

  constructor(@Inject(PayoutQueries) queries: PayoutQueries) {
    this.queries = queries;
  }

  @Get(':transferId')
  @RequireScope('payouts:read')
  async read(
    @CurrentCaller() caller: Caller,
    @Param('transferId', validated(transferIdParameter)) transferId: string,
  ): Promise<PayoutView> {
    const history = await this.queries.history(transferId);
    if (history === undefined) throw unknownPayout();
    caller.requireAccount(history.instruction.accountId);
    return payoutView(history);
  }
}
