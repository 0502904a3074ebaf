// Exactly once in effect: the first transaction that claims (group, source, id) decides, every later copy finds the verdict.
import { compareKeys, type Key, keyText } from '../ports/table.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import type { DecodedRecord } from './incoming.ts';
import { type InboxRow, inboxTable, type Verdict } from './tables.ts';

export interface InboxClaims {
  /** First copy of this id, in this batch and ever. Unreadable envelopes are always new: they have no id to go by. */
  isNew(one: DecodedRecord): boolean;
  /** The id was seen with other content: not a duplicate but somebody else's message under the same name. */
  isReused(one: DecodedRecord): boolean;
  rowOf(one: DecodedRecord): InboxRow | undefined;
}

const keyFor = (group: string, one: DecodedRecord): Key | undefined =>
  one.envelope === undefined ? undefined : [group, one.envelope.source, one.envelope.id];

/** @param expected how each message will most likely end: only the others need a second statement */
export async function claimInbox(
  transaction: Transaction,
  group: string,
  batch: readonly DecodedRecord[],
  expected: (one: DecodedRecord) => Verdict = () => 'applied',
): Promise<InboxClaims> {
  const first = new Map<string, { readonly key: Key; readonly one: DecodedRecord }>();
  for (const one of batch) {
    const key = keyFor(group, one);
    if (key !== undefined && !first.has(keyText(key))) first.set(keyText(key), { key, one });
  }
  const sorted = [...first.values()].sort((a, b) => compareKeys(a.key, b.key));
  const toRow = (one: DecodedRecord): InboxRow => ({
    groupName: group,
    source: one.envelope!.source,
    eventId: one.envelope!.id,
    digest: one.digest,
    verdict: expected(one),
    receivedAt: transaction.instant,
  });
  const rows = sorted.map(({ one }) => toRow(one));
  const fresh = new Set((await transaction.insertMissing(inboxTable, rows)).map(keyText));
  const known = sorted.filter(({ key }) => !fresh.has(keyText(key))).map(({ key }) => key);
  const digests = new Map<string, string>();
  for (const row of rows) digests.set(keyText([row.groupName, row.source, row.eventId]), row.digest);
  for (const row of await transaction.read(inboxTable, known)) {
    digests.set(keyText([row.groupName, row.source, row.eventId]), row.digest);
  }
  const textFor = (one: DecodedRecord): string | undefined => {
    const key = keyFor(group, one);
    return key === undefined ? undefined : keyText(key);
  };
  return {
    isNew(one) {
      const text = textFor(one);
      return text === undefined || (fresh.has(text) && first.get(text)?.one === one);
    },
    isReused(one) {
      const text = textFor(one);
      return text !== undefined && digests.get(text) !== one.digest;
    },
    rowOf(one) {
      const text = textFor(one);
      return text !== undefined && fresh.has(text) && first.get(text)?.one === one
        ? toRow(one)
        : undefined;
    },
  };
}

const verdictOnly = new Set(['verdict']);

export async function recordVerdicts(
  transaction: Transaction,
  judged: readonly { readonly one: DecodedRecord; readonly verdict: Verdict | 'duplicate' }[],
  claims: InboxClaims,
): Promise<void> {
  const rows = judged.flatMap(({ one, verdict }) => {
    const row = claims.rowOf(one);
    if (row === undefined || verdict === row.verdict || verdict === 'duplicate') return [];
    return [{ ...row, verdict }];
  });
  if (rows.length > 0) await transaction.update(inboxTable, rows, verdictOnly);
}
