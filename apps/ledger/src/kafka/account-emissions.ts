import {
  ledgerAccountBlockedV1,
  ledgerAccountOpenedV1,
  ledgerAccountUnblockedV1,
  ledgerFundsDepositedV1,
  ledgerLimitsChangedV1,
} from '@compasso/contracts';
import { centsToWire, instantToWire } from '@compasso/kernel';
import { type Emission, emission } from '@compasso/messaging';
import type { AccountEvent } from '../domain/account.ts';
import type { RaisedLimits } from '../domain/limits.ts';
import { wireLimits } from '../wire-limits.ts';

/** The event to publish, if others need to hear of it. The subject is the account. */
export function emissionOfAccount(event: AccountEvent, sequence: number): Emission | undefined {
  switch (event.type) {
    case 'AccountOpened': {
      const { accountId, holderKind, limits } = event;
      return emission(ledgerAccountOpenedV1, {
        ...about(accountId, sequence),
        data: { accountId, holderKind, limits: wireLimits(limits) },
      });
    }
    case 'FundsDeposited': {
      const { accountId, depositId, amount, fingerprint } = event.deposit;
      return emission(ledgerFundsDepositedV1, {
        ...about(accountId, sequence),
        data: { accountId, depositId, amountCents: centsToWire(amount), fingerprint },
      });
    }
    case 'LimitsChanged':
      return emission(ledgerLimitsChangedV1, {
        ...about(event.accountId, sequence),
        data: { accountId: event.accountId, limits: wireLimits(event.limits), ...raisedOf(event.raised) },
      });
    case 'AccountBlocked':
    case 'AccountUnblocked': {
      const contract = event.type === 'AccountBlocked' ? ledgerAccountBlockedV1 : ledgerAccountUnblockedV1;
      const { accountId, reason } = event;
      return emission(contract, { ...about(accountId, sequence), data: { accountId, reason } });
    }
    case 'CommandRefused':
      return undefined;
  }
}

const about = (accountId: string, sequence: number) => ({ subject: accountId, key: accountId, sequence });

const raisedOf = (raised: RaisedLimits | null) =>
  raised === null ? {} : { raised: { limits: wireLimits(raised.limits), from: instantToWire(raised.from) } };
