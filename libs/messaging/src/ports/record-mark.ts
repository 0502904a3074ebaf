// By what a record is recognised when a group comes back to a partition: is the one before its position still the same?
import { createHash } from 'node:crypto';
import { headerText } from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import type { ReceivedRecord } from './transport.ts';

/** Its `ce_id`; where that cannot be read, its bytes in the shape of a UUID. */
export function recordMark(record: Pick<ReceivedRecord, 'key' | 'value' | 'headers'>): string {
  const id = headerText(record.headers, 'ce_id');
  if (id !== undefined && isUuid(id)) return id;
  const hash = createHash('sha256');
  for (const bytes of [record.key, record.value]) hash.update(bytes === null ? '-' : `${bytes.length}:`).update(bytes ?? '');
  const hex = hash.digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
