// The HTTP door for transfers. The caller names the transfer: its Idempotency-Key is the transfer's
// id for ever, so a request that is sent again, once or twenty times at once, meets its own answer.
import { readPixKey } from '@compasso/contracts';
import { centsOf, invariant } from '@compasso/kernel';
import { currentTraceparent } from '@compasso/observability';
import type { Caller } from '@compasso/runtime';
import type { RefusalReason, TransferEvent, TransferRequest } from '../domain/transfer.ts';
import type { Fingerprints } from '../fingerprint.ts';
import type { TransferRow } from '../postgres/tables.ts';
import { countRequest } from '../request-metrics.ts';
import { clientCode } from '../requester.ts';
import type { CancelBody, TransferBody } from './bodies.ts';
import type { Decide } from './decide-together.ts';
import type { PayeeSealer } from './payee-sealer.ts';
import { pixKeyRefused, transferCommandRefused, transferRefused } from './refusals.ts';
import {
  type AcceptedCancel,
  acceptedCancel,
  type AcceptedTransfer,
  acceptedTransfer,
  type CancelOutcome,
} from './views.ts';

export interface TransferDoorParts {
  readonly decide: Decide;
  readonly fingerprints: Fingerprints;
  readonly sealer: PayeeSealer;
}

export class TransferDoor {
  private readonly parts: TransferDoorParts;

  constructor(parts: TransferDoorParts) {
    this.parts = parts;
  }

  /** @throws Problem when the transfer, or the command, is refused */
  async request(caller: Caller, transferId: string, body: TransferBody): Promise<AcceptedTransfer> {
    caller.requireAccount(body.accountId);
    const request = await this.requestOf(caller, transferId, body);
    const { events, row } = await this.decide(request, body);
    countAndRefuse(events);
    invariant(row !== undefined, 'a command that was taken left a transfer');
    if (row.state === 'refused') throw transferRefused(transferId, row.reason as RefusalReason);
    return acceptedTransfer(row);
  }

  /** @throws Problem when the cancellation is refused */
  async cancel(caller: Caller, transferId: string, { accountId }: CancelBody): Promise<AcceptedCancel> {
    caller.requireAccount(accountId);
    const need = { accountId, transferId, limits: 'give-back', cancellation: true } as const;
    const events = await this.parts.decide(need, (desk) =>
      desk.decideTransfer(transferId, {
        type: 'CancelTransfer',
        accountId,
        mayDebit: true, // asked before, of the token
        requestedBy: clientCode(caller.subject),
      }),
    );
    countAndRefuse(events);
    return acceptedCancel(transferId, outcomeOf(events[0]));
  }

  private async requestOf(
    caller: Caller,
    transferId: string,
    body: TransferBody,
  ): Promise<TransferRequest> {
    const key = readPixKey(body.payee.keyType, body.payee.key);
    if (!key.ok) throw pixKeyRefused(key.code);
    const { keyType, keyMasked, sealed } = await this.parts.sealer.seal(key.value);
    const content = { accountId: body.accountId, amount: centsOf(body.amountCents) };
    return {
      ...content,
      transferId,
      payee: { keyType, keyMasked, sealed },
      fingerprint: this.parts.fingerprints.ofTransfer('http', { ...content, payee: key.value }),
      requestedBy: clientCode(caller.subject),
      clientReference: body.clientReference,
      metadata: body.metadata,
      traceparent: currentTraceparent(),
    };
  }

  private decide(
    request: TransferRequest,
    { notAfter }: TransferBody,
  ): Promise<{ readonly events: readonly TransferEvent[]; readonly row: TransferRow | undefined }> {
    const { transferId, accountId } = request;
    const need = { accountId, transferId, limits: 'use', cancellation: true } as const;
    return this.parts.decide(need, (desk) => {
      const events = desk.decideTransfer(transferId, {
        type: 'RequestTransfer',
        request,
        mayDebit: true, // asked before, of the token
        notAfter,
        given: desk.given,
      });
      return { events, row: desk.transferRow(transferId) };
    });
  }
}

/** @throws Problem when the command was refused */
function countAndRefuse(events: readonly TransferEvent[]): void {
  countRequest('http', events);
  for (const event of events) {
    if (event.type === 'CommandRefused') throw transferCommandRefused(event.reason);
  }
}

function outcomeOf(event: TransferEvent | undefined): CancelOutcome {
  switch (event?.type) {
    case 'CancellationKept':
      return 'kept_for_the_request';
    case 'FundsReleased':
      return 'released';
    case 'PayoutCancelRequested':
      return 'passed_on';
    default:
      return 'nothing_to_do';
  }
}
