// The messages of a transfer, by name: what requester, ledger and gateway say of it.
import {
  type Contract,
  type DataOf,
  deadLetterClosedV1,
  deadLetterOpenedV1,
  deadLettersOf,
  encodeHeaders,
  ledgerCommandRefusedV1,
  ledgerEvents,
  ledgerFundsReleasedV1,
  ledgerFundsReservedV1,
  ledgerPayoutAuthorizedV1,
  ledgerTransferRefusedV1,
  ledgerTransferSettledV1,
  partitionOf,
  payoutConfirmedV1,
  payoutEvents,
  payoutRejectedV1,
  payoutReviewClosedV1,
  payoutReviewRequiredV1,
  payoutSubmittedV1,
  type TopicDefinition,
  transferCancelRequestedV1,
  transferRequestedV1,
  transferRequestsOf,
} from '@compasso/contracts';
import { addMilliseconds, instantFromWire, instantToWire } from '@compasso/kernel';
import type { OutgoingRecord } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';

export const noon = instantFromWire('2026-11-30T12:00:00Z');
export const team = 'acme';
export const requests = transferRequestsOf(team);
export const payerAccount = '0190f5fe-7c00-7a00-8000-00000000000a';
export interface Message {
  readonly topic: TopicDefinition;
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

export const recordOf = ({ topic, key, value, headers }: Message): OutgoingRecord => ({
  topic: topic.name,
  partition: partitionOf(key),
  key,
  value,
  headers,
});

interface Attributes {
  readonly id?: string;
  readonly key?: string;
  readonly type?: string;
  readonly subject: string;
  readonly sequence?: number | undefined;
  readonly cause?: Message | undefined;
}

/** @param data taken as it is, so that bad messages can be told too */
export function messageOf(
  topic: TopicDefinition,
  contract: Contract,
  { key, type, sequence, cause, ...rest }: Attributes & { readonly data: object },
): Message {
  const { data, id = uuidv7(), subject } = rest;
  return {
    topic,
    key: key ?? (data as { readonly accountId?: string }).accountId ?? payerAccount,
    value: JSON.stringify(data),
    headers: encodeHeaders({
      id,
      source: topic.source,
      type: type ?? contract.type,
      subject,
      time: instantToWire(noon),
      causationId: cause?.headers['ce_id'],
      sequence,
      traceparent: `00-${subject.replaceAll('-', '')}-00f067aa0ba902b7-01`,
    }),
  };
}

const sealed = 'eyJhbGciOiJFQ0RILUVTIn0..secret';
const payee = { kind: 'key', keyType: 'cpf', keyMasked: '***456789**' } as const;
export const inMinutes = (minutes: number): string =>
  instantToWire(addMilliseconds(noon, minutes * 60_000));

interface Named {
  readonly transferId: string;
  readonly accountId: string;
}

const common = { amountCents: 12_345, clientReference: 'order-7' };
const metadata = { invoice: '42' };

/** How one kind of event is told of one transfer. */
const saying =
  ({ transferId, accountId }: Named) =>
  <C extends Contract>(
    topic: TopicDefinition,
    contract: C,
    data: Omit<DataOf<C>, 'accountId' | keyof typeof common>,
  ) =>
  (sequence?: number, cause?: Message): Message =>
    messageOf(topic, contract, {
      subject: transferId,
      sequence,
      cause,
      data: { accountId, ...common, ...data },
    });

/** All that can be said about one transfer; sequences as its services would count them. */
export const transfer = (transferId: string = uuidv7(), accountId: string = payerAccount) => ({
  transferId,
  ...saidByRequester({ transferId, accountId }),
  ...saidByLedger({ transferId, accountId }),
  ...saidByGateway({ transferId, accountId }),
});

function saidByRequester(named: Named) {
  const say = saying(named);
  return {
    requested: say(requests, transferRequestedV1, { payee: { ...payee, sealed }, metadata }),
    cancelRequested: (): Message =>
      messageOf(requests, transferCancelRequestedV1, {
        subject: named.transferId,
        data: { accountId: named.accountId },
      }),
  };
}

function saidByLedger(named: Named) {
  const say = saying(named);
  const facts = { fingerprint: 'http.abc', requestedBy: 'client.shop' };
  return {
    reserved: say(ledgerEvents, ledgerFundsReservedV1, {
      ...facts,
      after: 'reserved',
      feeCents: 0,
      payee,
      clearances: [],
      limitBuckets: ['day:2026-11-30'],
      metadata,
    }),
    authorized: say(ledgerEvents, ledgerPayoutAuthorizedV1, {
      after: 'authorized',
      payee: { ...payee, sealed },
      sendBefore: inMinutes(15),
      metadata,
    }),
    refused: say(ledgerEvents, ledgerTransferRefusedV1, {
      ...facts,
      after: 'refused',
      reason: 'insufficient_funds',
      payee,
    }),
    settled: say(ledgerEvents, ledgerTransferSettledV1, {
      after: 'settled',
      feeCents: 0,
      endToEndId: 'E123',
    }),
    released: say(ledgerEvents, ledgerFundsReleasedV1, {
      after: 'released',
      feeCents: 0,
      reason: 'AC03',
      limitBuckets: [],
    }),
    commandRefused: (request: Message, reason: string): Message =>
      messageOf(ledgerEvents, ledgerCommandRefusedV1, {
        subject: request.headers['ce_id']!,
        key: request.key,
        sequence: 1,
        cause: request,
        data: { reason, commandSource: requests.source, transferId: named.transferId },
      }),
  };
}

function saidByGateway(named: Named) {
  const say = saying(named);
  return {
    submitted: say(payoutEvents, payoutSubmittedV1, {
      after: 'submitted',
      attempt: 1,
      provider: 'reference',
      providerOrderId: 'order',
      nextCheckAt: inMinutes(1),
      reviewAt: inMinutes(90),
    }),
    confirmed: say(payoutEvents, payoutConfirmedV1, {
      after: 'confirmed',
      endToEndId: 'E123',
      evidence: 'query',
    }),
    rejected: say(payoutEvents, payoutRejectedV1, {
      after: 'rejected',
      code: 'AC03',
      evidence: 'query',
    }),
    reviewRequired: say(payoutEvents, payoutReviewRequiredV1, {
      after: 'review',
      kind: 'deadline_passed',
    }),
    reviewClosed: (sequence: number, caseId: string) =>
      say(payoutEvents, payoutReviewClosedV1, { after: 'confirmed', caseId, by: 'proof' })(sequence),
  };
}

/** What the services say of a transfer that ends well, cause before effect. */
export function happyPath(of: ReturnType<typeof transfer>): readonly Message[] {
  const request = of.requested();
  const authorized = of.authorized(2, request);
  const confirmed = of.confirmed(2, authorized);
  return [
    request,
    of.reserved(1, request),
    authorized,
    of.submitted(1, authorized),
    confirmed,
    of.settled(3, confirmed),
  ];
}

export const deadLetterOpened = (caseId: string, transferId: string): Message =>
  messageOf(deadLettersOf('ledger'), deadLetterOpenedV1, {
    id: caseId,
    subject: caseId,
    key: payerAccount,
    sequence: 1,
    data: {
      group: 'ledger.pix.payout-events.v1',
      topic: payoutEvents.name,
      partition: 3,
      offset: '17',
      reason: 'data_invalid',
      transferId,
      accountId: payerAccount,
    },
  });

export const deadLetterClosed = (caseId: string): Message =>
  messageOf(deadLettersOf('ledger'), deadLetterClosedV1, {
    subject: caseId,
    key: payerAccount,
    sequence: 2,
    data: { caseId, by: 'replayed' },
  });
