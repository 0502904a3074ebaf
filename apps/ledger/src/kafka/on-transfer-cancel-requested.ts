import type { DataOf, transferCancelRequestedV1 } from '@compasso/contracts';
import type { Handler } from '@compasso/messaging';
import type { LedgerDesk } from '../postgres/ledger-desk.ts';
import { teamCode } from '../requester.ts';
import { answerOnTopic, type RequestTeam } from './on-transfer-requested.ts';

/** The answer to a cancellation is what becomes of the transfer; only a refusal is an event of its own. */
export const onTransferCancelRequested =
  (team: RequestTeam): Handler<LedgerDesk, DataOf<typeof transferCancelRequestedV1>> =>
  ({ envelope, key, data }, desk) => {
    const events = desk.decideTransfer(envelope.subject, {
      type: 'CancelTransfer',
      accountId: data.accountId,
      mayDebit: team.mayDebit(data.accountId),
      requestedBy: teamCode(team.name),
    });
    return answerOnTopic({ envelope, key }, events, desk);
  };
