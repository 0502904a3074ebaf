import { type Key, together, type WorkingSet } from '@compasso/messaging';
import { type Period, periodAt } from '../domain/limit-buckets.ts';
import { type DeskParts, LedgerDesk } from './ledger-desk.ts';
import { accountTable, cancellationTable, depositTable, limitUsageTable, transferTable } from './tables.ts';

/** What one command will look at. */
export interface DeskNeed {
  readonly accountId: string;
  readonly transferId?: string;
  readonly depositId?: string;
  /** Limits are used by a request and given back by a release. */
  readonly limits: 'use' | 'give-back' | 'none';
  /** Whether it matters that the account has cancelled the transfer. */
  readonly cancellation?: true;
}

/**
 * Locks accounts, then transfers, then deposits, then limits: every transaction of the service
 * keeps this order (attack H31).
 */
export async function openLedgerDesk(
  set: WorkingSet,
  needs: readonly DeskNeed[],
  parts: DeskParts,
): Promise<LedgerDesk> {
  const period = periodAt(set.instant, parts.night);
  await set.lock(accountTable, keys(needs, 'accountId'));
  // Cancellations are guarded by the account's row: whoever cancels or asks for a transfer of this account holds it.
  await together([
    set.lock(transferTable, keys(needs, 'transferId')),
    set.read(cancellationTable, needs.flatMap(cancellationKey)),
  ]);
  await set.lock(depositTable, keys(needs, 'depositId'));
  await set.lock(
    limitUsageTable,
    needs.flatMap((need) =>
      bucketsOf(set, need, period).map((bucket): Key => [need.accountId, bucket]),
    ),
  );
  return new LedgerDesk(set, parts, { at: set.instant, period, policy: parts.policy });
}

const cancellationKey = ({ transferId, accountId, cancellation }: DeskNeed): readonly Key[] =>
  transferId === undefined || cancellation === undefined ? [] : [[transferId, accountId]];

const keys = (
  needs: readonly DeskNeed[],
  name: 'accountId' | 'transferId' | 'depositId',
): readonly Key[] =>
  needs.flatMap(({ [name]: id }): readonly Key[] => (id === undefined ? [] : [[id]]));

function bucketsOf(
  set: WorkingSet,
  { limits, transferId }: DeskNeed,
  { day, night }: Period,
): readonly string[] {
  switch (limits) {
    case 'none':
      return [];
    case 'use':
      return night === undefined ? [day] : [day, night];
    case 'give-back': {
      const held = transferId === undefined ? undefined : set.get(transferTable, transferId);
      return held === undefined ? [] : (JSON.parse(held.limitBuckets) as readonly string[]);
    }
  }
}
