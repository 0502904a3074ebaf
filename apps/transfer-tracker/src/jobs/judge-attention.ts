// Attention changes without an event when a deadline passes. Judged as of how far the topics of the transfer's partition
// were read, never as of the wall clock.
import { ledgerEvents, partitionOf, payoutEvents } from '@compasso/contracts';
import { addMilliseconds, type Instant } from '@compasso/kernel';
import type { Executor, Key, WorkingSet } from '@compasso/messaging';
import { lastSaid } from '../domain/saga.ts';
import { type Rules, viewOf } from '../domain/transfer-view.ts';
import { nothingWaits } from '../kafka/turns.ts';
import { StatusFeed } from '../postgres/status-feed.ts';
import {
  projectionTable,
  readingTable,
  transfersProjection,
  type TransferViewRow,
  transferViewTable,
} from '../postgres/tables.ts';
import { sagaOf, toRow } from '../postgres/transfer-view-row.ts';

export interface JudgeParts {
  readonly executor: Executor;
  readonly rules: Rules;
}

const limits = { rowsMax: 200, lookAgainMs: 1_000 } as const;

/** Judges everything whose time has come; returns how many rows. */
export async function judgeAttention(parts: JudgeParts): Promise<number> {
  let judged = 0;
  for (;;) {
    const rows = await parts.executor.execute((set) => judgeSome(set, parts.rules));
    judged += rows;
    if (rows < limits.rowsMax) return judged;
  }
}

/** The row of the projection is locked first: a rebuild that switches waits, or is waited for. */
async function judgeSome(set: WorkingSet, rules: Rules): Promise<number> {
  await set.lock(projectionTable, [[transfersProjection]]);
  const { current, building } = set.get(projectionTable, transfersProjection)!;
  const due = await set.lockDue(transferViewTable, {
    column: 'lookAt',
    limit: limits.rowsMax,
    where: { projection: current },
  });
  if (due.length === 0) return 0;
  await set.lock(readingTable, due.flatMap(readingKeys));
  if (building !== null) {
    await set.lock(transferViewTable, due.map(({ transferId }): Key => [building, transferId]));
  }
  const feed = new StatusFeed(set, nothingWaits);
  for (const row of due) {
    const after = judge(row, asOfOf(set, row), { rules, feed, now: set.instant });
    set.put(transferViewTable, after);
    if (building !== null) judgeBeside(set, after, building, rules);
  }
  return due.length;
}

const sagaTopics = [ledgerEvents.name, payoutEvents.name] as const;

const readingKeys = ({ accountId }: TransferViewRow): readonly Key[] =>
  accountId === null ? [] : sagaTopics.map((topic): Key => [topic, partitionOf(accountId)]);

/** Both topics that can say something about the transfer were read up to then; null = not known yet. */
function asOfOf(set: WorkingSet, row: TransferViewRow): Instant | null {
  const read = readingKeys(row).map((key) => set.get(readingTable, ...key)?.asOf ?? null);
  if (read.length === 0 || read.includes(null)) return null;
  return Math.min(...(read as Instant[])) as Instant;
}

interface Judging {
  readonly rules: Rules;
  readonly feed: StatusFeed;
  readonly now: Instant;
}

function judge(row: TransferViewRow, asOf: Instant | null, judging: Judging): TransferViewRow {
  const { rules, feed, now } = judging;
  const judgedAsOf = latest(row.judgedAsOf, asOf);
  const judged = { ...rejudged(row, judgedAsOf, { rules, now }), updatedAt: now };
  const saga = sagaOf(row);
  const { trail } = saga;
  const cause = lastSaid(saga);
  if (cause === undefined || judgedAsOf === null) return judged;
  return feed.publishChange({
    before: row,
    after: judged,
    trail,
    cause: { id: cause.id, traceparent: row.traceparent, brokerAt: judgedAsOf },
  });
}

function rejudged(
  row: TransferViewRow,
  judgedAsOf: Instant | null,
  { rules, now }: Omit<Judging, 'feed'>,
): TransferViewRow {
  const saga = sagaOf(row);
  const view = viewOf(saga, judgedAsOf, rules);
  const { projection, transferId, statusSequence, untold, updatedAt } = row;
  const lookAt = nextLook(row, view.lookAt, now);
  const kept = { projection, transferId, statusSequence, untold, updatedAt };
  return toRow({ ...kept, saga, view, judgedAsOf, lookAt });
}

/** Where reading is behind, the deadline may have passed and not be known to have: look again soon. */
function nextLook({ accountId }: TransferViewRow, lookAt: Instant | null, now: Instant) {
  if (lookAt === null || accountId === null) return null;
  return lookAt > now ? lookAt : addMilliseconds(now, limits.lookAgainMs);
}

function judgeBeside(
  set: WorkingSet,
  shown: TransferViewRow,
  building: number,
  rules: Rules,
): void {
  const row = set.get(transferViewTable, building, shown.transferId);
  if (row === undefined) return;
  const judged = rejudged(row, shown.judgedAsOf, { rules, now: set.instant });
  const { statusSequence, untold } = shown;
  set.put(transferViewTable, { ...judged, statusSequence, untold });
}

const latest = (left: Instant | null, right: Instant | null): Instant | null =>
  left === null || (right !== null && right > left) ? right : left;
