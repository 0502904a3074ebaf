// From facts to what the fold understands: which transfer a fact is about, and what it says about it.
import { contractOfType } from '@compasso/contracts';
import { centsOf, type Instant, instantFromWire, isUuid, isWireInstant } from '@compasso/kernel';
import type { Description, Origin, SagaEvent } from '../domain/saga-event.ts';
import type { GatewayWord, LedgerWord } from '../domain/words.ts';
import type { Fact } from './fact.ts';

type Data = Fact['data'];

/** Facts of other subjects: accounts, deposits and dead letters are recorded and not folded. */
export const notOfTransfers: ReadonlySet<string> = new Set([
  'ledger.account-opened',
  'ledger.funds-deposited',
  'ledger.limits-changed',
  'ledger.account-blocked',
  'ledger.account-unblocked',
  'dead-letter.opened',
  'dead-letter.closed',
]);

/** The transfer that a fact is about; undefined = none. */
export function transferOf(fact: Pick<Fact, 'name' | 'subject' | 'data'>): string | undefined {
  if (notOfTransfers.has(fact.name)) return undefined;
  const id = fact.name === 'ledger.command-refused' ? fact.data['transferId'] : fact.subject;
  return typeof id === 'string' && isUuid(id) ? id : undefined;
}

export function sagaEventOf(fact: Fact): SagaEvent {
  const origin = originOf(fact);
  return {
    id: fact.id,
    origin,
    name: fact.name,
    at: fact.brokerAt,
    sequence: origin === 'ledger' || origin === 'gateway' ? fact.sequence : null,
    word: wordOf(origin, fact.data),
    cause: fact.causationId,
    reason: reasonOf(fact),
    sendBefore: instantIn(fact.data, 'sendBefore'),
    reviewAt: instantIn(fact.data, 'reviewAt'),
    description: descriptionOf(fact),
    traceparent: fact.traceparent,
  };
}

function originOf({ name, family }: Fact): Origin {
  if (name === 'ledger.command-refused') return 'command';
  if (name === 'transfer.requested') return 'requester';
  if (family === 'ledger-events') return 'ledger';
  return family === 'payout-events' ? 'gateway' : 'other';
}

const words: Partial<Record<Origin, readonly (LedgerWord | GatewayWord)[]>> = {
  ledger: ['refused', 'reserved', 'authorized', 'settled', 'released'],
  gateway: ['submitted', 'unknown', 'review', 'confirmed', 'rejected'],
};

/** Every event of ledger and gateway carries `after`, also types that a later release adds. */
const wordOf = (origin: Origin, data: Data): LedgerWord | GatewayWord | null =>
  words[origin]?.find((word) => word === data['after']) ?? null;

const reasonFields: Readonly<Record<string, string>> = {
  'ledger.transfer-refused': 'reason',
  'ledger.command-refused': 'reason',
  'ledger.funds-released': 'reason',
  'payout.outcome-unknown': 'cause',
  'payout.checked': 'answer',
  'payout.rejected': 'code',
  'payout.review-required': 'kind',
  'payout.cancel-refused': 'reason',
};

const reasonOf = ({ name, data }: Fact): string | null =>
  textIn(data, reasonFields[name] ?? '');

/** Whoever refuses a command, or wants a transfer no more, says nothing about what it is. */
const describesNothing: ReadonlySet<string> = new Set(['ledger.command-refused', 'transfer.cancel-requested']);

/** Only what a schema has judged describes a transfer. */
function descriptionOf({ name, type, data }: Fact): Description | null {
  if (contractOfType(type) === undefined || describesNothing.has(name)) return null;
  const accountId = textIn(data, 'accountId');
  if (accountId === null) return null;
  const { amountCents, metadata } = data;
  const payee = (data['payee'] ?? {}) as Data;
  return {
    accountId,
    amountCents: typeof amountCents === 'number' ? centsOf(amountCents) : null,
    keyType: textIn(payee, 'keyType'),
    keyMasked: textIn(payee, 'keyMasked'),
    clientReference: textIn(data, 'clientReference'),
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
    requestedBy: textIn(data, 'requestedBy'),
  };
}

const textIn = (data: Data, field: string): string | null => {
  const value = data[field];
  return typeof value === 'string' ? value : null;
};

const instantIn = (data: Data, field: string): Instant | null => {
  const text = textIn(data, field);
  return text !== null && isWireInstant(text) ? instantFromWire(text) : null;
};
