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
import { together } from './together.ts';

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
  const names = subscription.parks ? new Set(batch.flatMap(blockingNames)) : [];
  const keys = [...names].map((name) => [group, subscription.topic.name, name]);
  return new OpenDeadLetters(transaction, context, await transaction.lock(blockedTable, keys));
}

class OpenDeadLetters implements DeadLetters {
  readonly notices: Emission[] = [];
  private readonly transaction: Transaction;
  private readonly context: DeadLetterContext;
  private readonly blocked: Map<string, BlockedRow>;
  private readonly fresh: BlockedRow[] = [];
  private readonly parked: ParkedRow[] = [];
  private readonly letters: DeadLetterRow[] = [];

  constructor(transaction: Transaction, context: DeadLetterContext, known: readonly BlockedRow[]) {
    this.transaction = transaction;
    this.context = context;
    this.blocked = new Map(known.map((row) => [row.subject, row]));
  }

  isBlocked(one: DecodedRecord): boolean {
    return this.blockedOf(one) !== undefined;
  }

  park(one: DecodedRecord): 'parked' {
    const row = this.blockedOf(one)!;
    this.waitBehind(one, row);
    this.setAside(one, { state: 'parked', reason: 'behind_a_dead_letter', caseId: row.caseId });
    return 'parked';
  }

  declareDead(one: DecodedRecord, reason: string): 'dead' {
    const { group, staging, subscription } = this.context;
    const caseId = staging.newId();
    this.setAside(one, { state: 'open', reason, caseId });
    this.notices.push(noticeOf(this.context, one, reason, caseId));
    const subject = subscription.parks ? one.blockingSubject : undefined;
    const existing = this.blockedOf(one);
    if (existing !== undefined) this.waitBehind(one, existing);
    else if (subject !== undefined) {
      const row = { groupName: group, topic: subscription.topic.name, subject, caseId, since: this.transaction.instant };
      this.blocked.set(subject, row);
      this.fresh.push(row);
      this.waitBehind(one, row);
    }
    return 'dead';
  }

  async save(): Promise<void> {
    if (this.letters.length === 0) return;
    await together([
      this.transaction.insert(deadLetterTable, this.letters),
      this.transaction.insert(blockedTable, this.fresh),
      this.transaction.insert(parkedTable, this.parked),
    ]);
  }

  private blockedOf(one: DecodedRecord): BlockedRow | undefined {
    return blockingNames(one)
      .map((name) => this.blocked.get(name))
      .find((row) => row !== undefined);
  }

  private setAside(one: DecodedRecord, how: { readonly state: string; readonly reason: string; readonly caseId: string }): void {
    this.letters.push(letterOf(this.transaction, this.context, one, how));
  }

  private waitBehind({ partition, record }: DecodedRecord, { groupName, topic, subject }: BlockedRow): void {
    this.parked.push({ groupName, topic, partition, offset: record.offset, subject });
  }
}

/** Under which names a message may be held back: its transfer, or its key when a head had no readable subject. */
export const blockingNames = (one: DecodedRecord): readonly string[] => {
  const key = one.decoded.key;
  const own = one.blockingSubject;
  return [...(own === undefined ? [] : [own]), ...(key === undefined ? [] : [`key:${key}`])];
};

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

export function noticeOf(
  { group, service, subscription }: Pick<DeadLetterContext, 'group' | 'service' | 'subscription'>,
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
