// Dead letters as an operator may see them: where, why, since when, about which transfer. Topics carry personal data, so
// no value, no key but an account id, and no text that somebody else wrote leaves here (attack H28).
import { contractOfType, type Headers, headerText } from '@compasso/contracts';
import { type Instant, isUuid } from '@compasso/kernel';
import type { RowOf } from '../ports/table.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import { type DeadLetterRow, deadLetterTable, parkedTable } from './tables.ts';

export interface DeadLetter {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly reason: string;
  readonly caseId: string;
  readonly eventType: string | undefined;
  readonly transferId: string | undefined;
  readonly accountId: string | undefined;
  /** When the broker took it. */
  readonly brokerAt: Instant;
  readonly setAsideAt: Instant;
  /** How many messages of the same transfer wait behind it. */
  readonly waitingBehind: number;
}

export interface DeadLetterFilter {
  readonly topic?: string | undefined;
  readonly partition?: number | undefined;
  readonly offset?: bigint | undefined;
  readonly reason?: string | undefined;
  readonly limit?: number | undefined;
}

const limitDefault = 10_000;

type ParkedRow = RowOf<typeof parkedTable>;

export async function listLetters(transaction: Transaction, filter: DeadLetterFilter): Promise<readonly DeadLetter[]> {
  const { limit = limitDefault, ...wanted } = filter;
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const where = { ...Object.fromEntries(given), state: 'open' };
  const letters = await transaction.oldest(deadLetterTable, { column: 'setAsideAt', limit, where });
  const own = await transaction.read(parkedTable, letters.map(placeOf));
  const subjects = new Map(own.map((row) => [placeOf(row).join('\u001f'), row]));
  const behind = new Map<string, readonly ParkedRow[]>();
  for (const { groupName, topic, subject } of own) {
    const name = [groupName, topic, subject].join('\u001f');
    if (behind.has(name)) continue;
    const line = { groupName, topic, subject };
    behind.set(name, await transaction.oldest(parkedTable, { column: 'offset', limit: limitDefault, where: line }));
  }
  return letters.map((letter) => {
    const parked = subjects.get(placeOf(letter).join('\u001f'));
    const line = parked && behind.get([parked.groupName, parked.topic, parked.subject].join('\u001f'));
    return toLetter(letter, line?.filter(({ offset }) => offset > letter.offset).length ?? 0);
  });
}

const placeOf = ({ groupName, topic, partition, offset }: Pick<ParkedRow, 'groupName' | 'topic' | 'partition' | 'offset'>) =>
  [groupName, topic, partition, offset] as const;

function toLetter(letter: DeadLetterRow, waitingBehind: number): DeadLetter {
  const key = letter.recordKey === null ? undefined : Buffer.from(letter.recordKey).toString();
  const type = headerText(JSON.parse(letter.headers) as Headers, 'ce_type');
  return {
    group: letter.groupName,
    topic: letter.topic,
    partition: letter.partition,
    offset: letter.offset,
    reason: letter.reason,
    caseId: letter.caseId,
    eventType: type === undefined ? undefined : contractOfType(type)?.type,
    transferId: letter.subject !== null && isUuid(letter.subject) ? letter.subject : undefined,
    accountId: key !== undefined && isUuid(key) ? key : undefined,
    brokerAt: letter.brokerAt,
    setAsideAt: letter.setAsideAt,
    waitingBehind,
  };
}
