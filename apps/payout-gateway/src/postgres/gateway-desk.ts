// The payouts that one transaction has locked. Every door decides through here: state and events are written together.
import { ledgerPayoutAuthorizedV1, ledgerPayoutCancelRequestedV1 } from '@compasso/contracts';
import { invariant, type NewId } from '@compasso/kernel';
import type { DeskReference, Emission, Key, WorkingSet } from '@compasso/messaging';
import type { Given, Rules } from '../domain/given.ts';
import { decide, nextStepOf, type PayoutCommand } from '../domain/payout.decide.ts';
import {
  evolve,
  type Instruction,
  type KnownPayout,
  noPayout,
  type Payout,
  type PayoutEvent,
} from '../domain/payout.ts';
import type { Asked } from '../domain/proof.ts';
import { announcementOf } from '../kafka/payout-announcements.ts';
import type { KnownInstructions } from './known-instructions.ts';
import { payoutOfRow, rowOfAttempt, rowOfInstruction, rowOfPayout } from './payout-rows.ts';
import {
  type AttemptRow,
  attemptTable,
  instructionTable,
  type PayoutRow,
  payoutTable,
  queryAnswerTable,
} from './tables.ts';

/** What decisions are handed: names, chance, and how each provider's payouts are judged. */
export interface DeskParts {
  readonly newId: NewId;
  readonly chance: () => number;
  readonly rulesOf: (provider: string) => Rules;
  readonly instructions: KnownInstructions;
}

type Instructions = ReadonlyMap<string, Instruction>;

/** A question that is committed: until its lease ends nobody else puts it. */
export interface ClaimedQuestion {
  readonly payout: KnownPayout;
  readonly asked: Asked;
}

export class GatewayDesk {
  private readonly set: WorkingSet;
  private readonly parts: DeskParts;
  private readonly instructions: Instructions;
  /** States as they stand in this transaction, so that a row is read into a state once. */
  private readonly payouts = new Map<string, Payout>();

  constructor(set: WorkingSet, parts: DeskParts, instructions: Instructions) {
    this.set = set;
    this.parts = parts;
    this.instructions = instructions;
  }

  get instant() {
    return this.set.instant;
  }

  payout(transferId: string): Payout {
    const known = this.payouts.get(transferId);
    if (known !== undefined) return known;
    const row = this.set.get(payoutTable, transferId);
    const payout = row === undefined ? noPayout : this.payoutOf(row);
    this.payouts.set(transferId, payout);
    return payout;
  }

  known(transferId: string): KnownPayout {
    const payout = this.payout(transferId);
    invariant(payout.status !== 'none', 'only the ledger creates a payout', { transferId });
    return payout;
  }

  given(provider: string): Given {
    const { newId, chance, rulesOf } = this.parts;
    const { instant: now } = this.set;
    // Few decisions open a case, so its name is drawn when it is asked for.
    return {
      now,
      chance: chance(),
      rules: rulesOf(provider),
      get caseId() {
        return newId();
      },
    };
  }

  /** Commits the intent to ask, if this payout is to be asked about now. */
  askNow(transferId: string): ClaimedQuestion | undefined {
    const payout = this.known(transferId);
    if (nextStepOf(payout, this.given(payout.instruction.provider)) !== 'ask') return undefined;
    this.decide(transferId, { type: 'AskProvider' });
    return { payout: this.known(transferId), asked: { at: this.instant, attempts: payout.attempts.length } };
  }

  /** Decides, writes what changed, emits what others must hear, and tells what happened. */
  decide(transferId: string, command: PayoutCommand): readonly PayoutEvent[] {
    const before = this.payout(transferId);
    const { provider } =
      command.type === 'Authorize' ? command.instruction : this.known(transferId).instruction;
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
    this.payouts.set(transferId, payout);
    if (before.status === 'none') this.set.add(instructionTable, rowOfInstruction(payout.instruction));
    this.set.put(payoutTable, rowOfPayout(payout, { sequence, updatedAt: this.instant }));
    this.keepAttempts(transferId, before, payout);
    for (const event of events) if (event.type === 'Answered') this.keepAnswer(transferId, event);
    for (const emission of emissions) this.set.emit(emission);
  }

  private keepAttempts(transferId: string, before: Payout, after: KnownPayout): void {
    const known = before.status === 'none' ? [] : before.attempts;
    for (const attempt of after.attempts) {
      const earlier = known[attempt.attempt - 1];
      if (earlier === attempt) continue;
      const row = rowOfAttempt(transferId, attempt);
      // No transaction both begins and ends a call: one that is new here is not written again.
      if (earlier === undefined) this.set.add(attemptTable, row);
      else this.set.put(attemptTable, row);
    }
  }

  private keepAnswer(transferId: string, event: Extract<PayoutEvent, { type: 'Answered' }>): void {
    const { number, answer, code, askedAt, at } = event;
    this.set.add(queryAnswerTable, { transferId, number, answer, code, askedAt, answeredAt: at });
  }

  private payoutOf(row: PayoutRow): KnownPayout {
    const { transferId } = row;
    const instruction = this.instructions.get(transferId);
    invariant(instruction !== undefined, 'a payout has the instruction that made it', { transferId });
    return payoutOfRow(row, instruction, this.attemptsOf(row));
  }

  private attemptsOf({ transferId, attempt: count }: PayoutRow): readonly AttemptRow[] {
    const rows: AttemptRow[] = [];
    for (let attempt = 1; attempt <= count; attempt += 1) {
      const found = this.set.get(attemptTable, transferId, attempt);
      invariant(found !== undefined, 'an attempt that is counted is kept', { transferId, attempt });
      rows.push(found);
    }
    return rows;
  }
}

/** Locks payouts. That guards their attempts too, which nobody writes without holding their payout. */
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
  return openLocked(set, parts, ids);
}

/** For payouts that the transaction holds already, as a worker's `lockDue` does. */
export const openDuePayouts = (
  set: WorkingSet,
  parts: DeskParts,
  rows: readonly PayoutRow[],
): Promise<GatewayDesk> =>
  openLocked(
    set,
    parts,
    rows.map(({ transferId }) => transferId),
  );

async function openLocked(
  set: WorkingSet,
  parts: DeskParts,
  transferIds: readonly string[],
): Promise<GatewayDesk> {
  const rows = transferIds.flatMap((transferId) => set.get(payoutTable, transferId) ?? []);
  const known = rows.map(({ transferId }) => transferId);
  // Two statements at most, one behind the other in one round trip; neither leads to a third.
  const [instructions] = await Promise.all([
    parts.instructions.of(set, known),
    set.read(attemptTable, attemptsOf(rows)),
  ]);
  return new GatewayDesk(set, parts, instructions);
}

function attemptsOf(rows: readonly PayoutRow[]): readonly Key[] {
  const keys: Key[] = [];
  for (const { transferId, attempt: count } of rows) {
    for (let attempt = 1; attempt <= count; attempt += 1) keys.push([transferId, attempt]);
  }
  return keys;
}

const typesReactedTo: ReadonlySet<string> = new Set([
  ledgerPayoutAuthorizedV1.type,
  ledgerPayoutCancelRequestedV1.type,
]);

export const openDeskWith =
  (parts: DeskParts) =>
  (set: WorkingSet, references: readonly DeskReference[]): Promise<GatewayDesk> =>
    openPayouts(
      set,
      parts,
      references.flatMap(({ subject, contract }) =>
        typesReactedTo.has(contract?.type ?? '') ? [subject] : [],
      ),
    );
