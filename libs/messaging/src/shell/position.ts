// The position row is locked first in every batch: two replicas, or two generations of one, cannot both go on from it.
import type { Transaction } from '../ports/unit-of-work.ts';
import type { RowOf } from '../ports/table.ts';
import { positionTable } from './tables.ts';

export type PositionRow = RowOf<typeof positionTable>;

export async function lockPosition(
  transaction: Transaction,
  groupName: string,
  topic: string,
  partition: number,
  firstOffset: bigint,
): Promise<PositionRow> {
  const key = [groupName, topic, partition] as const;
  const [known] = await transaction.lock(positionTable, [key]);
  if (known !== undefined) return known;
  // Never read before: the transport starts such a group at the beginning of what the log holds.
  const start: PositionRow = { groupName, topic, partition, nextOffset: firstOffset, lastId: null };
  await transaction.insertMissing(positionTable, [start]);
  const [made] = await transaction.lock(positionTable, [key]);
  return made ?? start;
}

export const advancePosition = (transaction: Transaction, row: PositionRow): Promise<void> =>
  transaction.update(positionTable, [row]);
