// The payer no longer wants a transfer. Before the pivot that is the ledger's to decide; after it the money stays on hold until
// the gateway has proof, one way or the other.
import { unreachable } from '@compasso/kernel';
import type { CommandRefusal, TransferEvent, TransferPage } from './transfer.ts';

export interface CancelTransfer {
  readonly type: 'CancelTransfer';
  readonly accountId: string;
  /** Whether the requester may debit this account. */
  readonly mayDebit: boolean;
  readonly requestedBy: string;
}

export const cancelledByRequester = 'cancelled_by_requester';

export function cancelTransfer(command: CancelTransfer, page: TransferPage): readonly TransferEvent[] {
  const { transfer, account, isCancelled } = page;
  if (!command.mayDebit) return [refused('account_not_allowed')];
  if (transfer.state === 'none') {
    if (account === undefined) return [refused('account_not_found')];
    return isCancelled ? [] : [{ type: 'CancellationKept', requestedBy: command.requestedBy }];
  }
  const { accountId } = transfer.state === 'refused' ? transfer.request : transfer.hold.request;
  if (accountId !== command.accountId) return [refused('transfer_not_of_account')];
  switch (transfer.state) {
    case 'reserved':
      return [{ type: 'FundsReleased', hold: transfer.hold, reason: cancelledByRequester }];
    case 'authorized':
      return [{ type: 'PayoutCancelRequested', hold: transfer.hold }];
    case 'settled':
      return [refused('transfer_already_settled')];
    // What was wanted is so already.
    case 'refused':
    case 'released':
      return [];
    default:
      return unreachable(transfer);
  }
}

const refused = (reason: CommandRefusal): TransferEvent => ({ type: 'CommandRefused', reason });
