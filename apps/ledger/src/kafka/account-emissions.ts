import { ledgerAccountOpenedV1, ledgerFundsDepositedV1 } from '@compasso/contracts';
import { centsToWire } from '@compasso/kernel';
import { type Emission, emission } from '@compasso/messaging';
import type { AccountEvent } from '../domain/account.ts';

/** The event to publish, if others need to hear of it. The subject is the account. */
export function emissionOfAccount(event: AccountEvent, sequence: number): Emission | undefined {
  switch (event.type) {
    case 'AccountOpened': {
      const { accountId, holderKind, limits } = event;
      return emission(ledgerAccountOpenedV1, {
        subject: accountId,
        key: accountId,
        sequence,
        data: {
          accountId,
          holderKind,
          limits: {
            perTransferCents: centsToWire(limits.perTransfer),
            dayCents: centsToWire(limits.day),
            nightCents: centsToWire(limits.night),
          },
        },
      });
    }
    case 'FundsDeposited': {
      const { accountId, depositId, amount, fingerprint } = event.deposit;
      return emission(ledgerFundsDepositedV1, {
        subject: accountId,
        key: accountId,
        sequence,
        data: { accountId, depositId, amountCents: centsToWire(amount), fingerprint },
      });
    }
    case 'CommandRefused':
      return undefined;
  }
}
