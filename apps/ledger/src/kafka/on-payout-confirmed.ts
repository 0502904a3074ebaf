import type { DataOf, payoutConfirmedV1 } from '@compasso/contracts';
import { centsOf } from '@compasso/kernel';
import type { Handler } from '@compasso/messaging';
import { counter } from '@compasso/observability';
import type { LedgerDesk } from '../postgres/ledger-desk.ts';

const settled = counter('compasso_transfers_settled_total');

/** Proof of paid. Said again, or against what already ended, it changes nothing. */
export const onPayoutConfirmed: Handler<LedgerDesk, DataOf<typeof payoutConfirmedV1>> = (
  { envelope, data },
  desk,
) => {
  const events = desk.decideTransfer(envelope.subject, {
    type: 'SettleTransfer',
    accountId: data.accountId,
    amount: centsOf(data.amountCents),
    endToEndId: data.endToEndId,
  });
  if (!events.some(({ type }) => type === 'TransferSettled')) return 'ignored';
  settled.add(1);
  return 'applied';
};
