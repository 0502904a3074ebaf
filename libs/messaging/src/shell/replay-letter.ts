// One dead letter in one transaction. It takes its locks in the order of a batch: blocked rows, the letter, the inbox, then
// whatever the desk locks; so a live batch and a second operator wait for each other instead of overtaking (attack H19).
import { deadLetterClosedV1, type Headers } from '@compasso/contracts';
import { CodedError, invariant, isUuid } from '@compasso/kernel';
import type { RowOf } from '../ports/table.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import type { BatchContext } from './batch.ts';
import { blockingNames, noticeOf } from './dead-letters.ts';
import { type Emission, emission } from './emission.ts';
import { handleMessage } from './handle-message.ts';
import { type DecodedRecord, decodeRecord, deskReferenceOf } from './incoming.ts';
import { type ProcessSpans, processSpans } from './process-spans.ts';
import { stageEmissions } from './stage.ts';
import { blockedTable, type DeadLetterRow, deadLetterTable, type InboxRow, inboxTable, parkedTable } from './tables.ts';
import { WorkingSet } from './working-set.ts';

export type LetterContext<Desk> = BatchContext<Desk>;

/** `moved`: it waits behind another dead message as well, and now there. `gone`: somebody else was faster. */
export type LetterOutcome = 'replayed' | 'moved' | 'gone';

type ParkedRow = RowOf<typeof parkedTable>;
type BlockedRow = RowOf<typeof blockedTable>;
type Place = Pick<ParkedRow, 'groupName' | 'topic' | 'partition' | 'offset'>;

const keyOfPlace = ({ groupName, topic, partition, offset }: Place) => [groupName, topic, partition, offset] as const;

interface Held {
  readonly letter: DeadLetterRow;
  readonly one: DecodedRecord;
  readonly parked: ParkedRow | undefined;
  readonly blocked: readonly BlockedRow[];
}

export async function applyLetter<Desk>(
  transaction: Transaction,
  place: Place,
  context: LetterContext<Desk>,
): Promise<LetterOutcome> {
  const held = await hold(transaction, place, context);
  if (held === undefined) return 'gone';
  if (await waitsElsewhere(transaction, held)) return 'moved';
  const { one, letter } = held;
  if (one.decoded.kind === 'dead') throw new CodedError(one.decoded.reason, 'Still no readable message.', {});
  const inbox = await lockVerdict(transaction, context.group, one);
  const spans = processSpans(context);
  try {
    const emissions = await handle(transaction, held, { context, inbox, spans });
    await leave(transaction, held, 'replayed');
    await stageEmissions(transaction, [...emissions, ...closing(letter, context, 'replayed')], context.staging);
    spans.endAll();
  } catch (error) {
    spans.endAll(error);
    throw error;
  }
  return 'replayed';
}

/** Its verdict stays `dead` or `parked`: it was never applied, and no redelivery will. */
export async function discardLetter<Desk>(
  transaction: Transaction,
  place: Place,
  context: LetterContext<Desk>,
): Promise<void> {
  const held = await hold(transaction, place, context);
  if (held === undefined) return;
  await leave(transaction, held, 'discarded');
  await stageEmissions(transaction, closing(held.letter, context, 'discarded'), context.staging);
}

interface FailedLetter<Desk> {
  readonly context: LetterContext<Desk>;
  readonly reason: string;
}

/** A follower that cannot be handled once its head is gone is the new head: whatever blocks has an open case. */
export async function openOwnCase<Desk>(
  transaction: Transaction,
  place: Place,
  { context, reason }: FailedLetter<Desk>,
): Promise<void> {
  const held = await hold(transaction, place, context);
  if (held === undefined || held.letter.state !== 'parked') return;
  const { one, parked, blocked } = held;
  const caseId = context.staging.newId();
  await transaction.update(deadLetterTable, [{ ...held.letter, state: 'open', reason, caseId }]);
  const own = blocked.find(({ subject }) => subject === parked?.subject);
  if (own !== undefined) await transaction.update(blockedTable, [{ ...own, caseId }]);
  const row = await inboxRowOf(transaction, context.group, one);
  if (row !== undefined && row.verdict === 'parked') {
    await transaction.update(inboxTable, [{ ...row, verdict: 'dead' }]);
  }
  await stageEmissions(transaction, [noticeOf(context, one, reason, caseId)], context.staging);
}

async function hold<Desk>(transaction: Transaction, place: Place, { subscription }: LetterContext<Desk>): Promise<Held | undefined> {
  const [unlocked] = await transaction.read(deadLetterTable, [keyOfPlace(place)]);
  if (unlocked === undefined) return undefined;
  const one = decodeRecord(recordOfLetter(unlocked), place.partition, subscription.topic);
  const [before] = await transaction.read(parkedTable, [keyOfPlace(place)]);
  const names = new Set([...blockingNames(one), ...(before === undefined ? [] : [before.subject])]);
  const blocked = await transaction.lock(blockedTable, [...names].map((name) => [place.groupName, place.topic, name]));
  const [letter] = await transaction.lock(deadLetterTable, [keyOfPlace(place)]);
  const [parked] = await transaction.read(parkedTable, [keyOfPlace(place)]);
  if (letter?.state === 'open' || letter?.state === 'parked') return { letter, one, parked, blocked };
  invariant(parked === undefined, 'what is parked waits as a dead letter', { topic: place.topic, offset: String(place.offset) });
  return undefined;
}

/** A message can be held back by its transfer and by its key: it follows the heads of both. */
async function waitsElsewhere(transaction: Transaction, { parked, blocked }: Held): Promise<boolean> {
  if (parked === undefined) return false;
  for (const { groupName, topic, subject } of blocked) {
    if (subject === parked.subject) continue;
    const where = { groupName, topic, subject };
    const [head] = await transaction.oldest(parkedTable, { column: 'offset', limit: 1, where });
    if (head === undefined || head.offset > parked.offset) continue;
    await transaction.update(parkedTable, [{ ...parked, subject }]);
    await unblockIfEmpty(transaction, parked);
    return true;
  }
  return false;
}

interface Applying<Desk> {
  readonly context: LetterContext<Desk>;
  readonly inbox: InboxRow | undefined;
  readonly spans: ProcessSpans;
}

async function handle<Desk>(
  transaction: Transaction,
  { one }: Held,
  { context, inbox, spans }: Applying<Desk>,
): Promise<readonly Emission[]> {
  const set = new WorkingSet(transaction);
  const desk = await context.service.openDesk(set, deskReferenceOf(one));
  const verdict = handleMessage(one, { subscription: context.subscription, desk, set, spans });
  const emissions = set.finish();
  await set.flush();
  if (inbox !== undefined) await transaction.update(inboxTable, [{ ...inbox, verdict }]);
  return emissions;
}

async function inboxRowOf(transaction: Transaction, groupName: string, { envelope }: DecodedRecord): Promise<InboxRow | undefined> {
  if (envelope === undefined) return undefined;
  const [row] = await transaction.lock(inboxTable, [[groupName, envelope.source, envelope.id]]);
  return row;
}

/** @throws CodedError when the id belongs to another message, or the effect is there already */
async function lockVerdict(transaction: Transaction, groupName: string, one: DecodedRecord): Promise<InboxRow | undefined> {
  const row = await inboxRowOf(transaction, groupName, one);
  if (row === undefined) return undefined;
  if (row.digest !== one.digest) {
    throw new CodedError('id_reused_with_other_content', 'The id belongs to another message.', {});
  }
  if (row.verdict === 'applied') throw new CodedError('already_applied', 'Its effect is there already.', {});
  return row;
}

async function leave(transaction: Transaction, { letter, parked }: Held, state: 'replayed' | 'discarded'): Promise<void> {
  await transaction.update(deadLetterTable, [{ ...letter, state }]);
  if (parked === undefined) return;
  await transaction.remove(parkedTable, [keyOfPlace(letter)]);
  await unblockIfEmpty(transaction, parked);
}

async function unblockIfEmpty(transaction: Transaction, { groupName, topic, subject }: ParkedRow): Promise<void> {
  const where = { groupName, topic, subject };
  const rest = await transaction.oldest(parkedTable, { column: 'offset', limit: 1, where });
  if (rest.length === 0) await transaction.remove(blockedTable, [[groupName, topic, subject]]);
}

/** Only a dead message has a case; those that waited behind it have none. */
const closing = <Desk>(letter: DeadLetterRow, { service }: LetterContext<Desk>, by: 'replayed' | 'discarded'): Emission[] =>
  letter.state === 'open'
    ? [
        emission(deadLetterClosedV1, {
          subject: letter.caseId,
          key: keyTextOf(letter) ?? service.name,
          sequence: 2,
          causationId: letter.caseId,
          data: { caseId: letter.caseId, by },
        }),
      ]
    : [];

const keyTextOf = ({ recordKey }: DeadLetterRow): string | undefined => {
  const text = recordKey === null ? undefined : Buffer.from(recordKey).toString();
  return text !== undefined && isUuid(text) ? text : undefined;
};

const recordOfLetter = (letter: DeadLetterRow) => ({
  offset: letter.offset,
  timestamp: letter.brokerAt,
  key: letter.recordKey,
  value: letter.value,
  headers: JSON.parse(letter.headers) as Headers,
});
