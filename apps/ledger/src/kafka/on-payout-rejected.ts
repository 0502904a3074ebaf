import type { DataOf, payoutRejectedV1 } from '@compasso/contracts';
import { centsOf } from '@compasso/kernel';
import type { Handler } from '@compasso/messaging';
import { counter } from '@compasso/observability';
import type { LedgerDesk } from '../postgres/ledger-desk.ts';

const released = counter('compasso_transfers_released_total');

/** Proof of not paid: after the pivot the only thing upon which money goes back to the customer. */
export const onPayoutRejected: Handler<LedgerDesk, DataOf<typeof payoutRejectedV1>> = (
  { envelope, data },
  desk,
) => {
  const events = desk.decideTransfer(envelope.subject, {
    type: 'ReleaseFunds',
    accountId: data.accountId,
    amount: centsOf(data.amountCents),
    reason: data.code,
  });
  if (!events.some(({ type }) => type === 'FundsReleased')) return 'ignored';
  released.add(1, { reason: data.code });
  return 'applied';
};
