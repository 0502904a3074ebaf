// Replay of dead letters: head and followers of one subject, in offset order, each through the same handlers and its inbox
// verdict, in one transaction under the lock of the blocked row. It stops at the first failure; what was applied stays.
import { deadLetterClosedV1, type Headers } from '@compasso/contracts';
import { CodedError, isUuid } from '@compasso/kernel';
import { compareKeys, type RowOf } from '../ports/table.ts';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.ts';
import type { BatchContext } from './batch.ts';
import { type Emission, emission } from './emission.ts';
import { type DecodedRecord, decodeRecord, deskReferenceOf } from './incoming.ts';
import { stageEmissions } from './stage.ts';
import { blockedTable, type DeadLetterRow, deadLetterTable, inboxTable, parkedTable } from './tables.ts';
import { WorkingSet } from './working-set.ts';

export interface ReplayResult {
  readonly replayed: number;
  /** Still waiting, because one of them failed again. */
  readonly remaining: number;
  readonly failure?: string;
}

export interface LetterName {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

export interface Replayer {
  /** Replays a dead letter and everything that waits behind it. @throws CodedError `dead_letter_unknown` */
  replay(letter: LetterName): Promise<ReplayResult>;
}

interface ReplayPorts {
  readonly unitOfWork: UnitOfWork;
  readonly wake: () => void;
}

export function makeReplayer<Desk>(contexts: readonly BatchContext<Desk>[], ports: ReplayPorts): Replayer {
  return {
    async replay(name) {
      const context = contexts.find((one) => one.group === name.group && one.subscription.topic.name === name.topic);
      if (context === undefined) throw unknown(name);
      let replayed = 0;
      // Asked anew after each one: live batches may park more behind the head while it is being replayed.
      let next: Next | undefined = await headOf(ports, name);
      for (; next !== undefined; next = await nextOf(ports, next)) {
        const failure = await replayOne(next.letter, context, ports);
        if (failure !== undefined) return { replayed, remaining: next.waiting, failure };
        replayed += 1;
      }
      return { replayed, remaining: 0 };
    },
  };
}

interface Next {
  readonly letter: DeadLetterRow;
  /** Itself and what waits behind it. */
  readonly waiting: number;
  readonly parked: ParkedRow | undefined;
}

type ParkedRow = RowOf<typeof parkedTable>;

const unknown = (name: LetterName): CodedError =>
  new CodedError('dead_letter_unknown', 'No dead letter waits under this name.', {
    group: name.group,
    topic: name.topic,
    partition: name.partition,
    offset: String(name.offset),
  });

const keyOfLetter = (letter: LetterName | Pick<DeadLetterRow, 'groupName' | 'topic' | 'partition' | 'offset'>) =>
  ['group' in letter ? letter.group : letter.groupName, letter.topic, letter.partition, letter.offset] as const;

/** The letter itself when nothing is blocked behind it; otherwise the first that is parked under its subject. */
const headOf = (ports: ReplayPorts, name: LetterName): Promise<Next> =>
  ports.unitOfWork.run(async (transaction) => {
    const [letter] = await transaction.read(deadLetterTable, [keyOfLetter(name)]);
    if (letter === undefined || letter.state === 'replayed' || letter.state === 'discarded') throw unknown(name);
    const [own] = await transaction.read(parkedTable, [keyOfLetter(name)]);
    if (own === undefined) return { letter, waiting: 1, parked: undefined };
    return (await firstParked(transaction, own)) ?? { letter, waiting: 1, parked: own };
  });

const nextOf = (ports: ReplayPorts, { parked }: Next): Promise<Next | undefined> =>
  ports.unitOfWork.run(async (transaction) =>
    parked === undefined ? undefined : firstParked(transaction, parked),
  );

async function firstParked(transaction: Transaction, behind: ParkedRow): Promise<Next | undefined> {
  const waiting = await parkedBehind(transaction, behind);
  const [first] = [...waiting].sort((a, b) => compareKeys([a.partition, a.offset], [b.partition, b.offset]));
  if (first === undefined) return undefined;
  const [letter] = await transaction.read(deadLetterTable, [keyOfLetter(first)]);
  return letter === undefined ? undefined : { letter, waiting: waiting.length, parked: first };
}

const parkedBehind = (
  transaction: Transaction,
  { groupName, topic, subject }: Pick<ParkedRow, 'groupName' | 'topic' | 'subject'>,
): Promise<readonly ParkedRow[]> =>
  transaction.oldest(parkedTable, { column: 'offset', limit: 10_000, where: { groupName, topic, subject } });

async function replayOne<Desk>(
  letter: DeadLetterRow,
  context: BatchContext<Desk>,
  ports: ReplayPorts,
): Promise<string | undefined> {
  try {
    await ports.unitOfWork.run((transaction) => applyLetter(transaction, letter, context));
    ports.wake();
    return undefined;
  } catch (error) {
    return error instanceof CodedError ? error.code : 'handling_failed';
  }
}

async function applyLetter<Desk>(
  transaction: Transaction,
  letter: DeadLetterRow,
  context: BatchContext<Desk>,
): Promise<void> {
  const [parked] = await transaction.read(parkedTable, [keyOfLetter(letter)]);
  if (parked !== undefined) {
    await transaction.lock(blockedTable, [[parked.groupName, parked.topic, parked.subject]]);
  }
  const one = decodeRecord(recordOfLetter(letter), letter.partition, context.subscription.topic);
  const { decoded, event } = one;
  if (decoded.kind === 'dead') throw new CodedError(decoded.reason, 'Still no readable message.', {});
  if (decoded.kind === 'invalid-data') throw new CodedError('data_invalid', 'Still no valid data.', {});
  const set = new WorkingSet(transaction);
  const desk = await context.service.openDesk(set, deskReferenceOf(one));
  const reaction = context.subscription.reactions.find(({ contract }) => contract.type === event?.envelope.type);
  const handle = reaction?.handle ?? context.subscription.onOther;
  const verdict = event === undefined || handle === undefined ? 'ignored' : handle(event, desk);
  await set.flush();
  await settleVerdict(transaction, context.group, one, verdict);
  await leave(transaction, letter, parked);
  const emissions = [
    ...set.emissions.map((emitted) => causedBy(emitted, one)),
    ...closing(letter, context.service.name),
  ];
  await stageEmissions(transaction, emissions, context.staging);
}

const causedBy = (emitted: Emission, { envelope }: DecodedRecord): Emission => ({
  ...emitted,
  causationId: emitted.causationId ?? envelope?.id,
  traceparent: emitted.traceparent ?? envelope?.traceparent,
});

async function settleVerdict(
  transaction: Transaction,
  groupName: string,
  { envelope, digest }: DecodedRecord,
  verdict: string,
): Promise<void> {
  if (envelope === undefined) return;
  const [row] = await transaction.lock(inboxTable, [[groupName, envelope.source, envelope.id]]);
  if (row === undefined) return;
  if (row.verdict === 'applied') throw new CodedError('already_applied', 'Its effect is there already.', {});
  await transaction.update(inboxTable, [{ ...row, digest, verdict }]);
}

async function leave(
  transaction: Transaction,
  letter: DeadLetterRow,
  parked: ParkedRow | undefined,
): Promise<void> {
  await transaction.update(deadLetterTable, [{ ...letter, state: 'replayed' }]);
  if (parked === undefined) return;
  await transaction.remove(parkedTable, [keyOfLetter(letter)]);
  const rest = await parkedBehind(transaction, parked);
  if (rest.length === 0) {
    await transaction.remove(blockedTable, [[parked.groupName, parked.topic, parked.subject]]);
  }
}

/** Only a dead message has a case; those that waited behind it have none. */
const closing = (letter: DeadLetterRow, serviceName: string): Emission[] =>
  letter.state === 'open'
    ? [
        emission(deadLetterClosedV1, {
          subject: letter.caseId,
          key: keyTextOf(letter) ?? serviceName,
          sequence: 2,
          causationId: letter.caseId,
          data: { caseId: letter.caseId, by: 'replayed' },
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
