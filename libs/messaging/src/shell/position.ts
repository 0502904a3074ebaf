// The position row is locked first in every batch: two replicas, or two generations of one, cannot both go on from it.
import { positionLost } from '../ports/database-errors.ts';
import type { Transaction } from '../ports/unit-of-work.ts';
import type { RowOf } from '../ports/table.ts';
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

/** @throws CodedError `position_lost`: the consumer must be seated anew, at the beginning. */
export async function lockPosition(transaction: Transaction, reading: Reading): Promise<PositionRow> {
  const { group: groupName, topic, partition, firstOffset, hasPosition } = reading;
  const key = [groupName, topic, partition] as const;
  const [known] = await transaction.lock(positionTable, [key]);
  if (known !== undefined) return known;
  if (hasPosition) throw positionLost(topic, partition);
  // Never read before: the transport starts such a group at the beginning of what the log holds.
  const start: PositionRow = { groupName, topic, partition, nextOffset: firstOffset, lastId: null };
  await transaction.insertMissing(positionTable, [start]);
  const [made] = await transaction.lock(positionTable, [key]);
  return made ?? start;
}

export const advancePosition = (transaction: Transaction, row: PositionRow): Promise<void> =>
  transaction.update(positionTable, [row]);
