// After a switch the public is told again about what looks different now: a higher projection beats every version before.
import { decodeMessage, transferStatus } from '@compasso/contracts';
import { type Instant } from '@compasso/kernel';
import type { Executor, Key, Transport, WorkingSet } from '@compasso/messaging';
import { statusEvent, withNextSequence } from '../postgres/status-feed.ts';
import { type TransferViewRow, transferViewTable } from '../postgres/tables.ts';
import { lastSaid } from '../domain/saga.ts';
import { sagaOf } from '../postgres/transfer-view-row.ts';

const limits = { transfersMax: 200 } as const;

export async function republish(
  executor: Executor,
  projection: number,
  transferIds: readonly string[],
): Promise<void> {
  for (let from = 0; from < transferIds.length; from += limits.transfersMax) {
    const some = transferIds.slice(from, from + limits.transfersMax);
    await executor.execute((set) => republishSome(set, projection, some));
  }
}

async function republishSome(
  set: WorkingSet,
  projection: number,
  transferIds: readonly string[],
): Promise<void> {
  await set.lock(transferViewTable, transferIds.map((transferId): Key => [projection, transferId]));
  for (const transferId of transferIds) {
    const row = set.get(transferViewTable, projection, transferId);
    if (row === undefined || row.accountId === null) continue;
    const next = withNextSequence(row);
    set.put(transferViewTable, next);
    set.emit(statusAgain(next));
  }
}

function statusAgain(row: TransferViewRow) {
  const cause = lastSaid(sagaOf(row));
  const asOf = Math.max(row.judgedAsOf ?? 0, cause?.at ?? row.startedAt) as Instant;
  const origin = { causationId: cause?.id, traceparent: row.traceparent ?? undefined };
  return statusEvent(row, asOf, origin);
}

/** The highest projection that the public has ever seen: more than the database knows, if that is a new one. */
export async function highestPublished(transport: Pick<Transport, 'readAll'>): Promise<number> {
  let highest = 0;
  await transport.readAll(transferStatus.name, async ({ records }) => {
    for (const record of records) {
      const decoded = decodeMessage(record, transferStatus);
      if (decoded.kind !== 'event') continue;
      highest = Math.max(highest, (decoded.data as { readonly projection: number }).projection);
    }
  });
  return highest;
}
