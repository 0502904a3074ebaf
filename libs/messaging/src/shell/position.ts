// The position rows are locked first in every batch: two replicas, or two generations of one, cannot both go on from it.
import { positionLost } from '../ports/database-errors.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import { type Key, keyOf, type RowOf } from '../ports/table.ts';
import { positionTable } from './tables.ts';

export type PositionRow = RowOf<typeof positionTable>;

export interface Reading {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Of the batch at hand. */
  readonly firstOffset: bigint;
  /** This consumer has seen the row before: if it is gone, so is the database that it was in. */
  readonly hasPosition: boolean;
}

/**
 * In the order of the readings. @throws CodedError `position_lost`: the consumer must be seated anew, at the beginning.
 */
export async function lockPositions(
  transaction: Transaction,
  readings: readonly Reading[],
): Promise<readonly PositionRow[]> {
  const keys = readings.map(({ group, topic, partition }): Key => [group, topic, partition]);
  const found = new Map<string, PositionRow>();
  const note = (rows: readonly PositionRow[]): void => rows.forEach((row) => found.set(placeOf(row), row));
  note(await transaction.lock(positionTable, keys));
  const unread = readings.filter((reading) => !found.has(placeOf(reading)));
  if (unread.length > 0) note(await begin(transaction, unread));
  return readings.map((reading) => found.get(placeOf(reading))!);
}

/** Never read before: the transport starts such a group at the beginning of what the log holds. */
async function begin(transaction: Transaction, readings: readonly Reading[]): Promise<readonly PositionRow[]> {
  const lost = readings.find(({ hasPosition }) => hasPosition);
  if (lost !== undefined) throw positionLost(lost.topic, lost.partition);
  const starts = readings.map(
    ({ group, topic, partition, firstOffset }): PositionRow => ({
      groupName: group,
      topic,
      partition,
      nextOffset: firstOffset,
      lastId: null,
    }),
  );
  await transaction.insertMissing(positionTable, starts);
  return transaction.lock(positionTable, starts.map((row) => keyOf(positionTable, row)));
}

const placeOf = ({ topic, partition }: Pick<Reading, 'topic' | 'partition'>): string => `${topic}/${partition}`;

const moves = new Set(['nextOffset', 'lastId']);

export const advancePositions = (transaction: Transaction, rows: readonly PositionRow[]): Promise<void> =>
  transaction.update(positionTable, rows, moves);
