import type { DataOf, Envelope, transferRequestedV1 } from '@compasso/contracts';
import { centsOf, instantFromWire } from '@compasso/kernel';
import type { Handler, HandlerVerdict, InvalidCommand, ReceivedEvent } from '@compasso/messaging';
import { counter, currentTraceparent } from '@compasso/observability';
import type { TransferEvent, TransferRequest } from '../domain/transfer.ts';
import type { Fingerprints } from '../fingerprint.ts';
import type { LedgerDesk } from '../postgres/ledger-desk.ts';
import { teamCode } from '../requester.ts';
import { countRequest } from '../request-metrics.ts';
import { commandRefused } from './command-refused.ts';

type Requested = DataOf<typeof transferRequestedV1>;

export interface RequestTeam {
  readonly name: string;
  readonly mayDebit: (accountId: string) => boolean;
}

/** The topic door of one team: the same decision as over HTTP, answered with events. */
export const onTransferRequested =
  (team: RequestTeam, fingerprints: Fingerprints): Handler<LedgerDesk, Requested> =>
  ({ envelope, key, data }, desk) => {
    const events = desk.decideTransfer(envelope.subject, {
      type: 'RequestTransfer',
      request: requestOf(envelope, data, { team, fingerprints }),
      mayDebit: team.mayDebit(data.accountId),
      notAfter: data.notAfter === undefined ? undefined : instantFromWire(data.notAfter),
      given: desk.given,
    });
    return answerOnTopic({ envelope, key }, events, desk);
  };

/** What was decided speaks for itself; only a command that was not taken has an answer of its own. */
export function answerOnTopic(
  command: Pick<ReceivedEvent, 'envelope' | 'key'>,
  events: readonly TransferEvent[],
  desk: LedgerDesk,
): HandlerVerdict {
  for (const event of events) {
    if (event.type === 'CommandRefused') desk.emit(commandRefused({ ...command, reason: event.reason }));
  }
  countRequest('topic', events);
  return events.length === 0 ? 'ignored' : 'applied';
}

const refusals = counter('compasso_commands_refused_total');

/**
 * The envelope could be read and the data not: the team is told which fields, never what was in
 * them.
 */
export function onInvalidRequest(command: InvalidCommand, desk: LedgerDesk): void {
  const { envelope, key, invalidFields } = command;
  desk.emit(commandRefused({ envelope, key, reason: 'request_invalid', invalidFields }));
  refusals.add(1, { door: 'topic', reason: 'request_invalid' });
}

const requestOf = (
  envelope: Envelope,
  { accountId, amountCents, payee, clientReference, metadata }: Requested,
  door: { readonly team: RequestTeam; readonly fingerprints: Fingerprints },
): TransferRequest => {
  const amount = centsOf(amountCents);
  const { keyType, keyMasked, sealed } = payee;
  return {
    transferId: envelope.subject,
    accountId,
    amount,
    payee: { keyType, keyMasked, sealed },
    fingerprint: door.fingerprints.ofTransfer('topic', {
      accountId,
      amount,
      payee: { keyType, key: keyMasked },
    }),
    requestedBy: teamCode(door.team.name),
    clientReference,
    metadata,
    traceparent: currentTraceparent() ?? envelope.traceparent,
  };
};
