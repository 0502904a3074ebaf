// Replay of dead letters: head and followers of one subject, in offset order, each through its handler and its inbox verdict
// in a transaction of its own. It stops at the first failure; what was applied stays.
import { CodedError } from '@compasso/kernel';
import type { RowOf } from '../ports/table.ts';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.ts';
import { attemptsMax } from './consume.ts';
import { type DeadLetter, type DeadLetterFilter, listLetters } from './letter-list.ts';
import { applyLetter, discardLetter, type LetterContext, type LetterOutcome, openOwnCase } from './replay-letter.ts';
import { deadLetterTable, parkedTable } from './tables.ts';

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
  /**
   * Sets the first of a line aside for good, without effect; those behind it wait for a replay.
   * @throws CodedError `dead_letter_unknown` or `not_the_first`
   */
  discard(letter: LetterName): Promise<void>;
  /** What waits, oldest first, without anything that a customer wrote. */
  list(filter?: DeadLetterFilter): Promise<readonly DeadLetter[]>;
}

export interface ReplayPorts {
  readonly unitOfWork: UnitOfWork;
  readonly pauseBeforeRetry: (attempt: number) => Promise<void>;
  readonly wake: () => void;
}

export function makeReplayer<Desk>(contexts: readonly LetterContext<Desk>[], ports: ReplayPorts): Replayer {
  const contextOf = (name: LetterName): LetterContext<Desk> => {
    const context = contexts.find((one) => one.group === name.group && one.subscription.topic.name === name.topic);
    if (context === undefined) throw unknownLetter(name);
    return context;
  };
  return {
    replay: (name) => replayLine(name, contextOf(name), ports),
    async discard(name) {
      const context = contextOf(name);
      const { first } = await lineOf(ports, name);
      if (first.partition !== name.partition || first.offset !== name.offset) {
        throw new CodedError('not_the_first', 'Another message waits before this one.', { offset: String(first.offset) });
      }
      await retrying(ports, (transaction) => discardLetter(transaction, first, context));
      ports.wake();
    },
    list: (filter = {}) => ports.unitOfWork.run((transaction) => listLetters(transaction, filter)),
  };
}

async function replayLine<Desk>(name: LetterName, context: LetterContext<Desk>, ports: ReplayPorts): Promise<ReplayResult> {
  let replayed = 0;
  // Asked anew after each one: live batches may park more behind the head while it is being replayed.
  for (let line: Line | undefined = await lineOf(ports, name); line !== undefined; line = await restOf(ports, line)) {
    const { first, waiting } = line;
    try {
      const outcome = await retrying(ports, (transaction) => applyLetter(transaction, first, context));
      if (outcome === 'replayed') replayed += 1;
      // Somebody else replayed a letter that nothing waits behind.
      if (outcome === 'gone' && line.subject === undefined) return { replayed, remaining: 0 };
      ports.wake();
    } catch (error) {
      const failure = error instanceof CodedError ? error.code : 'handling_failed';
      if (ports.unitOfWork.meaningOf(error) === 'permanent') {
        await retrying(ports, (transaction) => openOwnCase(transaction, first, { context, reason: failure }));
        ports.wake();
      }
      return { replayed, remaining: waiting, failure };
    }
  }
  return { replayed, remaining: 0 };
}

type ParkedRow = RowOf<typeof parkedTable>;
type Place = Pick<ParkedRow, 'groupName' | 'topic' | 'partition' | 'offset'>;

/** What waits under one subject, or a single letter that nothing waits behind. */
interface Line {
  readonly first: Place;
  readonly waiting: number;
  readonly subject: string | undefined;
}

const unknownLetter = (name: LetterName): CodedError =>
  new CodedError('dead_letter_unknown', 'No dead letter waits under this name.', {
    group: name.group,
    topic: name.topic,
    partition: name.partition,
    offset: String(name.offset),
  });

const lineOf = (ports: ReplayPorts, name: LetterName): Promise<Line> =>
  ports.unitOfWork.run(async (transaction) => {
    const key = [name.group, name.topic, name.partition, name.offset] as const;
    const [letter] = await transaction.read(deadLetterTable, [key]);
    if (letter === undefined || letter.state === 'replayed' || letter.state === 'discarded') throw unknownLetter(name);
    const [own] = await transaction.read(parkedTable, [key]);
    const line = own === undefined ? undefined : await lineBehind(transaction, own);
    return line ?? { first: letter, waiting: 1, subject: undefined };
  });

const restOf = async (ports: ReplayPorts, { first, subject }: Line): Promise<Line | undefined> =>
  subject === undefined
    ? undefined
    : ports.unitOfWork.run((transaction) => lineBehind(transaction, { ...first, subject }));

async function lineBehind(
  transaction: Transaction,
  { groupName, topic, subject }: Pick<ParkedRow, 'groupName' | 'topic' | 'subject'>,
): Promise<Line | undefined> {
  const where = { groupName, topic, subject };
  const waiting = await transaction.oldest(parkedTable, { column: 'offset', limit: 10_000, where });
  const first = waiting[0];
  return first === undefined ? undefined : { first, waiting: waiting.length, subject };
}

/** A live batch may hold the rows for a moment. */
async function retrying<Result extends LetterOutcome | void>(
  ports: ReplayPorts,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ports.unitOfWork.run(work);
    } catch (error) {
      if (ports.unitOfWork.meaningOf(error) === 'permanent' || attempt >= attemptsMax) throw error;
      await ports.pauseBeforeRetry(attempt);
    }
  }
}
