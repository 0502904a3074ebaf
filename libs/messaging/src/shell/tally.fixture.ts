// A small service for the suites of the shell: it counts the confirmations of each transfer, in order, and answers each with
// a settlement. Built from real contracts and topics; imported by specs only.
import {
  deadLettersOf,
  encodeHeaders,
  ledgerTransferSettledV1,
  partitionOf,
  payoutCheckedV1,
  payoutConfirmedV1,
  payoutEvents,
  sourceOfService,
  transferRequestedV1,
  transferRequestsOf,
} from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import { uuidv7 } from 'uuidv7';
import { defineTable, integer, type RowOf, text, uuid } from '../ports/table.ts';
import type { OutgoingRecord } from '../ports/transport.ts';
import { emission } from './emission.ts';
import { type InvalidCommand, on, type ReceivedEvent, type ServiceDefinition } from './reaction.ts';
import type { WorkingSet } from './working-set.ts';

export const tallyTable = defineTable({
  name: 'tally',
  columns: { transferId: uuid, count: integer, trail: text, sequence: integer },
  key: ['transferId'],
});
export const tallySql = `
create table tally (transfer_id uuid primary key, count integer not null, trail text not null, sequence integer not null);
`;

export interface TallySwitches {
  /** Evidence codes that the handler cannot cope with, as a bug would have it. */
  readonly broken: Set<string>;
  readonly seen: string[];
  readonly invalid: InvalidCommand[];
  readonly others: string[];
}

export const newSwitches = (): TallySwitches => ({ broken: new Set(), seen: [], invalid: [], others: [] });

interface TallyDesk {
  readonly set: WorkingSet;
}

type Confirmed = (typeof payoutConfirmedV1)['schema']['_zod']['output'];

export const tallyDefinition = (switches: TallySwitches): ServiceDefinition<TallyDesk> => ({
  name: 'ledger',
  source: sourceOfService('ledger'),
  async openDesk(set, references) {
    await set.lock(tallyTable, references.map(({ subject }) => [subject]));
    return { set };
  },
  subscriptions: [
    {
      topic: payoutEvents,
      parks: true,
      reactions: [on(payoutConfirmedV1, (event, desk: TallyDesk) => count(event, desk, switches))],
      onOther: (event) => {
        switches.others.push(event.envelope.type);
        return 'ignored';
      },
    },
    {
      topic: transferRequestsOf('acme'),
      parks: false,
      reactions: [on(transferRequestedV1, () => 'ignored')],
      onInvalidCommand: (command) => void switches.invalid.push(command),
    },
  ],
});

function count(event: ReceivedEvent<Confirmed>, { set }: TallyDesk, switches: TallySwitches): 'applied' {
  const { subject } = event.envelope;
  const { evidence, accountId, amountCents } = event.data;
  if (switches.broken.has(evidence)) throw new CodedError('tally_broken', 'The handler has a bug.', {});
  const row: RowOf<typeof tallyTable> = set.get(tallyTable, subject) ?? {
    transferId: subject,
    count: 0,
    trail: '',
    sequence: 0,
  };
  const next = { ...row, count: row.count + 1, trail: `${row.trail}${evidence};`, sequence: row.sequence + 1 };
  set.put(tallyTable, next);
  switches.seen.push(evidence);
  const data = { accountId, amountCents, after: 'settled', feeCents: 0, endToEndId: 'E1' } as const;
  set.emit(emission(ledgerTransferSettledV1, { subject, key: accountId, sequence: next.sequence, data }));
  return 'applied';
}

export interface Letter {
  readonly id?: string;
  readonly transferId: string;
  readonly accountId: string;
  readonly evidence: string;
  readonly sequence?: number;
}

export const aLetter = (letter: Partial<Letter> = {}): Letter => ({
  transferId: uuidv7(),
  accountId: uuidv7(),
  evidence: 'query',
  ...letter,
});

/** A record of the payout topic, as the gateway would publish it; `change` spoils it. */
export function confirmation(letter: Letter, change: Partial<OutgoingRecord> = {}): OutgoingRecord {
  const { accountId, transferId, evidence } = letter;
  const data = { accountId, amountCents: 100, after: 'confirmed', endToEndId: 'E1', evidence };
  return record(letter, payoutConfirmedV1.type, data, { ...change, topic: payoutEvents.name }, transferId);
}

export const unknownEvent = (letter: Letter): OutgoingRecord =>
  record(letter, 'compasso.payout.invented.v1', { accountId: letter.accountId }, { topic: payoutEvents.name }, letter.transferId);

export const futureVersion = (letter: Letter): OutgoingRecord =>
  record(letter, payoutCheckedV1.type.replace('.v1', '.v2'), {}, { topic: payoutEvents.name }, letter.transferId);

export const badRequest = (letter: Letter): OutgoingRecord =>
  record(
    letter,
    transferRequestedV1.type,
    { accountId: letter.accountId, amountCents: -5 },
    { topic: transferRequestsOf('acme').name },
    letter.transferId,
    transferRequestsOf('acme').source,
  );

function record(
  letter: Letter,
  type: string,
  data: object,
  change: Partial<OutgoingRecord>,
  subject: string,
  source = payoutEvents.source,
): OutgoingRecord {
  return {
    topic: payoutEvents.name,
    partition: partitionOf(letter.accountId),
    key: letter.accountId,
    value: JSON.stringify(data),
    headers: encodeHeaders({
      id: letter.id ?? uuidv7(),
      source,
      type,
      subject,
      time: new Date(0).toISOString(),
      sequence: letter.sequence ?? 1,
    }),
    ...change,
  };
}

export const tallyTopics = [payoutEvents, transferRequestsOf('acme'), deadLettersOf('ledger')];
