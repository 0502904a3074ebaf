import { type DynamicModule, Module } from '@nestjs/common';
import type { PublicKeys } from '@compasso/contracts';
import { PAYEE_KEYS, PayeeKeysController } from './http/payee-keys.controller.ts';
import { PayoutsController } from './http/payouts.controller.ts';
import { WebhookDoor } from './http/webhook-door.ts';
import { WebhooksController } from './http/webhooks.controller.ts';
import { PayoutQueries } from './postgres/payout-queries.ts';

export interface GatewayModuleParts {
  readonly queries: PayoutQueries;
  readonly webhooks: WebhookDoor;
  readonly payeeKeys: PublicKeys;
}

@Module({ controllers: [PayoutsController, WebhooksController, PayeeKeysController] })
export class PayoutGatewayModule {
  static with({ queries, webhooks, payeeKeys }: GatewayModuleParts): DynamicModule {
    return {
      module: PayoutGatewayModule,
      providers: [
        { provide: PayoutQueries, useValue: queries },
        { provide: WebhookDoor, useValue: webhooks },
        { provide: PAYEE_KEYS, useValue: payeeKeys },
      ],
    };
  }
}
