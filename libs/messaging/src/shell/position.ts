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
  const found = byPartition(await transaction.lock(positionTable, keys));
  const unread = readings.filter(({ partition }) => !found.has(partition));
  if (unread.length > 0) {
    for (const row of await begin(transaction, unread)) found.set(row.partition, row);
  }
  return readings.map(({ partition }) => found.get(partition)!);
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

const byPartition = (rows: readonly PositionRow[]): Map<number, PositionRow> =>
  new Map(rows.map((row) => [row.partition, row]));

const moves = new Set(['nextOffset', 'lastId']);

export const advancePositions = (transaction: Transaction, rows: readonly PositionRow[]): Promise<void> =>
  transaction.update(positionTable, rows, moves);
