// What could not be handled is set aside with its bytes, and later messages of the same topic and transfer wait behind it;
// everybody else goes on. The tables here are the truth; the event on the dead-letter topic is a notice.
import { deadLetterOpenedV1, headerText, type Headers } from '@compasso/contracts';
import { isUuid, type NewId } from '@compasso/kernel';
import { type RowOf } from '../ports/table.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import { type Emission, emission } from './emission.ts';
import type { DecodedRecord } from './incoming.ts';
import type { SubscriptionDefinition } from './reaction.ts';
import { blockedTable, type DeadLetterRow, deadLetterTable, parkedTable } from './tables.ts';

type BlockedRow = RowOf<typeof blockedTable>;
type ParkedRow = RowOf<typeof parkedTable>;

export interface DeadLetters {
  isBlocked(one: DecodedRecord): boolean;
  declareDead(one: DecodedRecord, reason: string): 'dead';
  park(one: DecodedRecord): 'parked';
  /** Notices to publish: one opens a case per dead message. */
  readonly notices: readonly Emission[];
  save(): Promise<void>;
}

export interface DeadLetterContext {
  readonly group: string;
  readonly service: { readonly name: string };
  readonly subscription: Pick<SubscriptionDefinition<never>, 'topic' | 'parks'>;
  readonly staging: { readonly newId: NewId };
}

/** Locks the blocked rows of the batch's subjects before anything is decided: a replay locks them too (attack H19). */
export async function openDeadLetters(
  transaction: Transaction,
  context: DeadLetterContext,
  batch: readonly DecodedRecord[],
): Promise<DeadLetters> {
  const { group, subscription } = context;
  const topic = subscription.topic.name;
  const subjects = subscription.parks ? subjectsOf(batch) : [];
  const known = await transaction.lock(
    blockedTable,
    subjects.map((subject) => [group, topic, subject]),
  );
  const blocked = new Map(known.map((row) => [row.subject, row]));
  const fresh: BlockedRow[] = [];
  const parked: ParkedRow[] = [];
  const letters: DeadLetterRow[] = [];
  const notices: Emission[] = [];

  const blockedOf = (one: DecodedRecord): BlockedRow | undefined =>
    names(one)
      .map((name) => blocked.get(name))
      .find((row) => row !== undefined);
  const setAside = (one: DecodedRecord, state: 'open' | 'parked', reason: string, caseId: string): void => {
    letters.push(letterOf(transaction, context, one, { state, reason, caseId }));
  };
  const waitBehind = (one: DecodedRecord, row: BlockedRow): void => {
    const { partition, record } = one;
    parked.push({ groupName: group, topic, partition, offset: record.offset, subject: row.subject });
  };
  return {
    notices,
    isBlocked: (one) => blockedOf(one) !== undefined,
    park(one) {
      const row = blockedOf(one)!;
      waitBehind(one, row);
      setAside(one, 'parked', 'behind_a_dead_letter', row.caseId);
      return 'parked';
    },
    declareDead(one, reason) {
      const existing = blockedOf(one);
      const caseId = context.staging.newId();
      setAside(one, 'open', reason, caseId);
      notices.push(noticeOf(context, one, reason, caseId));
      const subject = subscription.parks ? one.blockingSubject : undefined;
      if (existing !== undefined) waitBehind(one, existing);
      else if (subject !== undefined) {
        const row = { groupName: group, topic, subject, caseId, since: transaction.instant };
        blocked.set(subject, row);
        fresh.push(row);
        waitBehind(one, row);
      }
      return 'dead';
    },
    async save() {
      if (letters.length === 0) return;
      await transaction.insert(deadLetterTable, letters);
      if (fresh.length > 0) await transaction.insert(blockedTable, fresh);
      if (parked.length > 0) await transaction.insert(parkedTable, parked);
    },
  };
}

/** Under which names a message may be held back: its transfer, or its key when a head had no readable subject. */
const names = (one: DecodedRecord): readonly string[] => {
  const key = one.decoded.key;
  const own = one.blockingSubject;
  return [...(own === undefined ? [] : [own]), ...(key === undefined ? [] : [`key:${key}`])];
};

const subjectsOf = (batch: readonly DecodedRecord[]): readonly string[] => [
  ...new Set(batch.flatMap((one) => names(one))),
];

function letterOf(
  transaction: Transaction,
  { group, subscription }: DeadLetterContext,
  { record, partition, envelope, decoded }: DecodedRecord,
  { state, reason, caseId }: { readonly state: string; readonly reason: string; readonly caseId: string },
): DeadLetterRow {
  return {
    groupName: group,
    topic: subscription.topic.name,
    partition,
    offset: record.offset,
    state,
    reason,
    caseId,
    subject: envelope?.subject ?? (decoded.kind === 'dead' ? (decoded.subject ?? null) : null),
    recordKey: record.key,
    value: record.value,
    headers: JSON.stringify(textHeaders(record.headers)),
    brokerAt: record.timestamp,
    setAsideAt: transaction.instant,
  };
}

const textHeaders = (headers: Headers): Record<string, string> => {
  const texts: Record<string, string> = {};
  for (const name of Object.keys(headers)) texts[name] = headerText(headers, name) ?? '';
  return texts;
};

function noticeOf(
  { group, service, subscription }: DeadLetterContext,
  { record, partition, envelope, decoded, event }: DecodedRecord,
  reason: string,
  caseId: string,
): Emission {
  const subject = envelope?.subject ?? (decoded.kind === 'dead' ? decoded.subject : undefined);
  const key = decoded.key !== undefined && isUuid(decoded.key) ? decoded.key : undefined;
  return emission(deadLetterOpenedV1, {
    id: caseId,
    subject: caseId,
    key: key ?? service.name,
    sequence: 1,
    causationId: envelope?.id,
    traceparent: envelope?.traceparent,
    data: {
      group,
      topic: subscription.topic.name,
      partition,
      offset: String(record.offset),
      reason,
      ...(subject !== undefined && isUuid(subject) ? { transferId: subject } : {}),
      ...(key === undefined ? {} : { accountId: (event?.data as { accountId?: string })?.accountId ?? key }),
    },
  });
}
