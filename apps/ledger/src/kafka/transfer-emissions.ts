// What the domain decided, in the words of the contracts. Contracts never appear in the domain, and
// the domain's events never on a topic.
import {
  type DataOf,
  ledgerFundsReleasedV1,
  ledgerFundsReservedV1,
  ledgerPayoutAuthorizedV1,
  ledgerPayoutCancelRequestedV1,
  ledgerTransferRefusedV1,
  ledgerTransferSettledV1,
} from '@compasso/contracts';
import { centsToWire, instantToWire } from '@compasso/kernel';
import { type Emission, emission } from '@compasso/messaging';
import type { Hold, Payee, TransferEvent, TransferRequest } from '../domain/transfer.ts';

/** The event to publish, if others need to hear of it. */
export function emissionOfTransfer(event: TransferEvent, sequence: number): Emission | undefined {
  switch (event.type) {
    case 'FundsReserved':
      return emission(ledgerFundsReservedV1, {
        ...about(event.hold.request, sequence),
        data: reservedData(event.hold),
      });
    case 'PayoutAuthorized':
      return emission(ledgerPayoutAuthorizedV1, {
        ...about(event.hold.request, sequence),
        data: {
          ...common(event.hold.request),
          after: 'authorized',
          payee: { ...maskOf(event.hold.request.payee), sealed: event.hold.request.payee.sealed },
          sendBefore: instantToWire(event.sendBefore),
          ...metadataOf(event.hold.request),
        },
      });
    case 'TransferRefused':
      return emission(ledgerTransferRefusedV1, {
        ...about(event.request, sequence),
        data: refusedData(event.request, event.reason),
      });
    case 'TransferSettled':
      return emission(ledgerTransferSettledV1, {
        ...about(event.hold.request, sequence),
        data: {
          ...common(event.hold.request),
          after: 'settled',
          feeCents: centsToWire(event.hold.fee),
          endToEndId: event.endToEndId,
        },
      });
    case 'FundsReleased':
      return emission(ledgerFundsReleasedV1, {
        ...about(event.hold.request, sequence),
        data: {
          ...common(event.hold.request),
          after: 'released',
          feeCents: centsToWire(event.hold.fee),
          reason: event.reason,
          limitBuckets: [...event.hold.buckets],
        },
      });
    case 'PayoutCancelRequested':
      return emission(ledgerPayoutCancelRequestedV1, {
        ...about(event.hold.request, sequence),
        traceparent: event.hold.request.traceparent,
        data: { ...common(event.hold.request), after: 'authorized' },
      });
    case 'CancellationKept':
    case 'CommandRefused':
    case 'ContradictionSeen':
      return undefined;
  }
}

const about = (request: TransferRequest, sequence: number) => ({
  subject: request.transferId,
  key: request.accountId,
  sequence,
});

const common = ({ accountId, amount, clientReference }: TransferRequest) => ({
  accountId,
  amountCents: centsToWire(amount),
  ...(clientReference === undefined ? {} : { clientReference }),
});

const maskOf = ({ keyType, keyMasked }: Payee) => ({ kind: 'key' as const, keyType, keyMasked });

const metadataOf = ({ metadata }: TransferRequest) => (metadata === undefined ? {} : { metadata });

const reservedData = ({ request, fee, buckets }: Hold): DataOf<typeof ledgerFundsReservedV1> => ({
  ...common(request),
  after: 'reserved',
  feeCents: centsToWire(fee),
  payee: maskOf(request.payee),
  clearances: [],
  limitBuckets: [...buckets],
  fingerprint: request.fingerprint,
  requestedBy: request.requestedBy,
  ...metadataOf(request),
});

const refusedData = (
  request: TransferRequest,
  reason: string,
): DataOf<typeof ledgerTransferRefusedV1> => ({
  ...common(request),
  after: 'refused',
  reason,
  payee: maskOf(request.payee),
  fingerprint: request.fingerprint,
  requestedBy: request.requestedBy,
  ...metadataOf(request),
});
