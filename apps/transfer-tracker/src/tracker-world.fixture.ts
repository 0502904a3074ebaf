// The whole tracker over the in-memory twins, fed record by record, and the messages of a transfer by name.
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
  partitionCount,
  partitionOf,
  payoutConfirmedV1,
  payoutEvents,
  payoutRejectedV1,
  payoutReviewClosedV1,
  payoutReviewRequiredV1,
  payoutSubmittedV1,
  type TopicDefinition,
  transferRequestedV1,
  transferRequestsOf,
  transferStatus,
  transferStatusChangedV1,
} from '@compasso/contracts';
import { addMilliseconds, type Instant, instantFromWire, instantToWire } from '@compasso/kernel';
import {
  alwaysLeader,
  composeShell,
  deadLetterTable,
  eventLogTable,
  MemoryBroker,
  MemoryTransport,
  MemoryUnitOfWork,
  type OutgoingRecord,
  type RowOf,
  type UnitOfWork,
} from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { judgeAttention } from './jobs/judge-attention.ts';
import { Reading } from './jobs/reading.ts';
import { trackedTopics } from './kafka/reactions.ts';
import {
  eventTable,
  laneTable,
  projectionTable,
  reviewCaseTable,
  transfersProjection,
  transferViewTable,
} from './postgres/tables.ts';
import { trackerDefinition, trackerRules } from './transfer-tracker.definition.ts';

export const noon = instantFromWire('2026-11-30T12:00:00Z');
export const team = 'acme';
export const requests = transferRequestsOf(team);
export const payerAccount = '0190f5fe-7c00-7a00-8000-00000000000a';
const topics = trackedTopics([team]);

export interface Message {
  readonly topic: TopicDefinition;
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

type StatusChange = DataOf<typeof transferStatusChangedV1>;

/** A tracker over any database, fed from topics in memory. */
export function trackerOver(unitOfWork: UnitOfWork, broker: MemoryBroker) {
  const transport = new MemoryTransport(broker);
  const rules = trackerRules(1);
  const shell = composeShell(trackerDefinition({ requestTeams: [team], rules }), {
    unitOfWork,
    transport,
    leadership: alwaysLeader,
    newId: uuidv7,
    pauseBeforeRetry: async () => undefined,
    observe: () => undefined,
    wake: () => undefined,
  });
  const read = new Map<string, number>();
  const reading = new Reading({ unitOfWork, transport, topics });

  /** Hands what is new in a topic to its consumer, one batch per partition. */
  async function consume(topic: TopicDefinition): Promise<void> {
    const subscriber = shell.subscribers.find((one) => one.topic === topic.name)!;
    for (const [partition, log] of broker.log(topic.name).entries()) {
      const place = `${topic.name}/${partition}`;
      const records = log.slice(read.get(place) ?? 0);
      if (records.length === 0) continue;
      const batch = { topic: topic.name, partition, records, highWatermark: BigInt(log.length) };
      await subscriber.handle(batch, new AbortController().signal);
      // Two callers may read the same records at once: the position lets one of them through.
      read.set(place, Math.max(read.get(place) ?? 0, Number(records.at(-1)!.offset) + 1));
    }
  }

  const publish = (...messages: readonly Message[]): Promise<void> =>
    transport.publish(messages.map(recordOf));

  return {
    broker,
    transport,
    rules,
    executor: shell.executor,
    publish,
    consume,
    /** All topics at once, as their consumers are in a running service. */
    async consumeAll(): Promise<void> {
      await Promise.all(topics.map(consume));
    },
    /** Publishes and reads at once, message by message: each is a batch of its own. */
    async receive(...messages: readonly Message[]): Promise<void> {
      for (const message of messages) {
        await publish(message);
        await consume(message.topic);
      }
    },
    /** One look at the ends of the topics, and one judgement as of what was read. */
    async judge(): Promise<number> {
      await reading.advance();
      return judgeAttention({ executor: shell.executor, rules });
    },
  };
}

/** The same over the in-memory twin, with a clock that stands still unless it is moved. */
export async function trackerWorld() {
  let now: Instant = noon;
  const unitOfWork = new MemoryUnitOfWork(() => now);
  await seedProjections(unitOfWork);
  return {
    ...trackerOver(unitOfWork, new MemoryBroker(() => now)),
    unitOfWork,
    moveOn: (milliseconds: number) => void (now = addMilliseconds(now, milliseconds)),
    view: (transferId: string, projection = 1) =>
      unitOfWork
        .rowsOf(transferViewTable)
        .find((row) => row.transferId === transferId && row.projection === projection),
    events: () => unitOfWork.rowsOf(eventTable),
    cases: () => unitOfWork.rowsOf(reviewCaseTable),
    deadLetters: () => unitOfWork.rowsOf(deadLetterTable),
    /** What the feed has told, oldest first. */
    feed: () => unitOfWork.rowsOf(eventLogTable).filter(isStatus).sort(byId).map(statusOf),
  };
}

type LoggedEvent = RowOf<typeof eventLogTable>;

const isStatus = ({ topic }: LoggedEvent): boolean => topic === transferStatus.name;
const byId = (a: LoggedEvent, b: LoggedEvent): number => (a.eventId < b.eventId ? -1 : 1);
const statusOf = (row: LoggedEvent) => ({ ...row, data: JSON.parse(row.data) as StatusChange });

export type TrackerWorld = Awaited<ReturnType<typeof trackerWorld>>;

async function seedProjections(unitOfWork: MemoryUnitOfWork): Promise<void> {
  await unitOfWork.run(async (transaction) => {
    await transaction.insert(projectionTable, [
      { name: transfersProjection, current: 1, building: null },
    ]);
    const lanes = Array.from({ length: partitionCount }, (_, lane) => lane);
    await transaction.insert(
      laneTable,
      lanes.map((lane) => ({ lane, current: 1, building: null })),
    );
  });
}

const recordOf = ({ topic, key, value, headers }: Message): OutgoingRecord => ({
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

/** All that can be said about one transfer; sequences as its services would count them. */
export function transfer(transferId: string = uuidv7(), accountId: string = payerAccount) {
  const common = { accountId, amountCents: 12_345, clientReference: 'order-7' };
  const say = <C extends Contract>(
    topic: TopicDefinition,
    contract: C,
    data: Omit<DataOf<C>, keyof typeof common> & Partial<typeof common>,
  ) => {
    return (sequence?: number, cause?: Message, id?: string): Message =>
      messageOf(topic, contract, {
        subject: transferId,
        sequence,
        cause,
        ...(id === undefined ? {} : { id }),
        data: { ...common, ...data },
      });
  };
  const metadata = { invoice: '42' };
  const facts = { fingerprint: 'http.abc', requestedBy: 'client.shop' };
  return {
    transferId,
    requested: say(requests, transferRequestedV1, { payee: { ...payee, sealed }, metadata }),
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
    commandRefused: (request: Message, reason: string): Message =>
      messageOf(ledgerEvents, ledgerCommandRefusedV1, {
        subject: request.headers['ce_id']!,
        key: request.key,
        sequence: 1,
        cause: request,
        data: { reason, commandSource: requests.source, transferId },
      }),
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
