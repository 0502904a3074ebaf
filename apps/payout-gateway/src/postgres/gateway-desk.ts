// The payouts that one transaction has locked. Every door decides through here: state and events are written together.
import { ledgerPayoutAuthorizedV1 } from '@compasso/contracts';
import { invariant, type NewId } from '@compasso/kernel';
import type { DeskReference, Emission, WorkingSet } from '@compasso/messaging';
import type { Given, Rules } from '../domain/given.ts';
import { decide, type PayoutCommand } from '../domain/payout.decide.ts';
import { evolve, type KnownPayout, noPayout, type Payout, type PayoutEvent } from '../domain/payout.ts';
import { announcementOf } from '../kafka/payout-announcements.ts';
import { payoutOfRow, rowOfAttempt, rowOfPayout } from './payout-rows.ts';
import { attemptTable, type PayoutRow, payoutTable, queryAnswerTable } from './tables.ts';

/** What decisions are handed: names, chance, and how each provider's payouts are judged. */
export interface DeskParts {
  readonly newId: NewId;
  readonly chance: () => number;
  readonly rulesOf: (provider: string) => Rules;
}

export class GatewayDesk {
  private readonly set: WorkingSet;
  private readonly parts: DeskParts;

  constructor(set: WorkingSet, parts: DeskParts) {
    this.set = set;
    this.parts = parts;
  }

  get instant() {
    return this.set.instant;
  }

  payout(transferId: string): Payout {
    const row = this.set.get(payoutTable, transferId);
    return row === undefined ? noPayout : this.payoutOf(row);
  }

  known(transferId: string): KnownPayout {
    const payout = this.payout(transferId);
    invariant(payout.status !== 'none', 'only the ledger creates a payout', { transferId });
    return payout;
  }

  given(provider: string): Given {
    const { newId, chance, rulesOf } = this.parts;
    return { now: this.set.instant, chance: chance(), caseId: newId(), rules: rulesOf(provider) };
  }

  /** Decides, writes what changed, emits what others must hear, and tells what happened. */
  decide(transferId: string, command: PayoutCommand): readonly PayoutEvent[] {
    const before = this.payout(transferId);
    const { provider } = command.type === 'Authorize' ? command.instruction : this.known(transferId).instruction;
    const events = decide(command, before, this.given(provider));
    if (events.length > 0) this.apply(transferId, before, events);
    return events;
  }

  /** Everything is worked out before anything is written: a rule that breaks half-way leaves nothing behind. */
  private apply(transferId: string, before: Payout, events: readonly PayoutEvent[]): void {
    const emissions: Emission[] = [];
    let sequence = this.set.get(payoutTable, transferId)?.sequence ?? 0;
    let payout = before;
    for (const event of events) {
      payout = evolve(payout, event);
      invariant(payout.status !== 'none', 'an event makes a payout known');
      const announcement = announcementOf(event, payout);
      if (announcement === undefined) continue;
      sequence += 1;
      emissions.push({ ...announcement, sequence });
    }
    invariant(payout.status !== 'none', 'an event makes a payout known');
    this.set.put(payoutTable, rowOfPayout(payout, { sequence, updatedAt: this.instant }));
    this.keepAttempts(transferId, before, payout);
    for (const event of events) if (event.type === 'Answered') this.keepAnswer(transferId, event);
    for (const emission of emissions) this.set.emit(emission);
  }

  private keepAttempts(transferId: string, before: Payout, after: KnownPayout): void {
    const known = before.status === 'none' ? [] : before.attempts;
    for (const attempt of after.attempts) {
      if (known[attempt.attempt - 1] === attempt) continue;
      this.set.put(attemptTable, rowOfAttempt(transferId, attempt));
    }
  }

  private keepAnswer(transferId: string, event: Extract<PayoutEvent, { type: 'Answered' }>): void {
    const { number, answer, code, askedAt, at } = event;
    this.set.add(queryAnswerTable, { transferId, number, answer, code, askedAt, answeredAt: at });
  }

  private payoutOf(row: PayoutRow): KnownPayout {
    const attempts = attemptKeys(row.transferId, row.attempt).map(([transferId, attempt]) => {
      const found = this.set.get(attemptTable, transferId, attempt);
      invariant(found !== undefined, 'an attempt that is counted is kept', { transferId, attempt });
      return found;
    });
    return payoutOfRow(row, attempts);
  }
}

const attemptKeys = (transferId: string, count: number): (readonly [string, number])[] =>
  Array.from({ length: count }, (_, at) => [transferId, at + 1] as const);

/** Locks payouts, then their attempts and the place of the next one: the global lock order. */
export async function openPayouts(
  set: WorkingSet,
  parts: DeskParts,
  transferIds: Iterable<string>,
): Promise<GatewayDesk> {
  const ids = [...new Set(transferIds)];
  await set.lock(
    payoutTable,
    ids.map((id) => [id]),
  );
  await lockAttempts(set, ids);
  return new GatewayDesk(set, parts);
}

/** For payouts that the transaction holds already, as a worker's `lockDue` does. */
export async function openDuePayouts(
  set: WorkingSet,
  parts: DeskParts,
  rows: readonly PayoutRow[],
): Promise<GatewayDesk> {
  await lockAttempts(
    set,
    rows.map(({ transferId }) => transferId),
  );
  return new GatewayDesk(set, parts);
}

const lockAttempts = (set: WorkingSet, transferIds: readonly string[]): Promise<void> =>
  set.lock(
    attemptTable,
    transferIds.flatMap((id) => {
      const row = set.get(payoutTable, id);
      return row === undefined ? [] : attemptKeys(id, row.attempt + 1);
    }),
  );

export const openDeskWith =
  (parts: DeskParts) =>
  (set: WorkingSet, references: readonly DeskReference[]): Promise<GatewayDesk> =>
    openPayouts(
      set,
      parts,
      references.flatMap(({ subject, contract }) => (contract?.type === ledgerPayoutAuthorizedV1.type ? [subject] : [])),
    );
