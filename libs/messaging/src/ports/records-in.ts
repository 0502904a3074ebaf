import type { RecordBatch } from './transport.ts';

export const recordsIn = (batches: readonly RecordBatch[]): number =>
  batches.reduce((sum, { records }) => sum + records.length, 0);
