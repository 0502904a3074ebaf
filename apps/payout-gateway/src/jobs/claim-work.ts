// Takes from the queue what can be done now and commits the intent: a call that is not committed never begins, and one that
// is committed is unknown until its outcome is recorded. Never more than there is room for (attack H29).
import { addMilliseconds, type Clock } from '@compasso/kernel';
import type { Executor, WorkingSet } from '@compasso/messaging';
import type { Rules } from '../domain/given.ts';
import { nextStepOf } from '../domain/payout.decide.ts';
import { isUndecided, type KnownPayout } from '../domain/payout.ts';
import {
  type ClaimedQuestion,
  type DeskParts,
  type GatewayDesk,
  openDuePayouts,
} from '../postgres/gateway-desk.ts';
import { type PayoutRow, payoutTable } from '../postgres/tables.ts';
import { requestDigestOf } from '../provider/request-digest.ts';
import { claimedCall, type ClaimedCall, readClock } from './work.ts';

export interface Room {
  readonly submits: number;
  readonly queries: number;
  /** The provider is down or does not want us: deadlines must not wait for questions that cannot be put. */
  readonly isClosed: boolean;
}

/** Under load nearly every look finds payouts that are new, and hardly one another; so it may be for those alone. */
export type Look = 'all' | 'new';

export interface Claimed {
  readonly calls: readonly ClaimedCall[];
  readonly questions: readonly ClaimedQuestion[];
  /** More is due, and there was room for what was looked at: look again soon. */
  readonly isFull: boolean;
  /** Payouts that are due may have been left, for want of room or beyond their share: new ones, and all others. */
  readonly leavesNew: boolean;
  readonly leavesOld: boolean;
}

export interface ClaimParts {
  readonly executor: Executor;
  readonly desk: DeskParts;
  readonly clock: Clock;
  readonly rules: Rules;
  /** A payout whose own state breaks a rule is set aside and reported; it must not hold up the others. */
  readonly onBroken: (transferId: string, error: unknown) => void;
}

/** Attempts that nobody recorded, and payouts past their deadline, per turn: they take no call. */
const housekeepingMax = 100;

export async function claimWork(room: Room, parts: ClaimParts, look: Look = 'all'): Promise<Claimed> {
  return parts.executor.execute(async (set) => {
    const reading = readClock(parts.clock);
    const { rows, isFull, ...left } = await dueRows(set, sharesOf(room, look));
    const desk = await openDuePayouts(set, parts.desk, rows);
    const claim = new Claim(desk, room, parts, reading);
    for (const row of rows) claim.take(set, row);
    return { calls: claim.calls, questions: claim.questions, isFull: isFull && claim.gotOn, ...left };
  });
}

type Shares = Readonly<Record<string, number>>;

/** Every state has its share, so that a flood of new payouts does not keep old ones from being asked about. */
function sharesOf(room: Room, look: Look): Shares {
  const asking = room.isClosed ? housekeepingMax : room.queries;
  // Without room for calls, only those are of interest that can no longer be sent.
  const queued = room.submits > 0 || !room.isClosed ? room.submits : Math.ceil(asking / 4);
  if (look === 'new') return { queued };
  return {
    review: Math.ceil(asking / 8),
    unknown: Math.ceil(asking / 3),
    sending: housekeepingMax,
    cancelled: Math.ceil(asking / 4),
    submitted: asking,
    queued,
  };
}

interface Due {
  readonly rows: readonly PayoutRow[];
  readonly isFull: boolean;
  readonly leavesNew: boolean;
  readonly leavesOld: boolean;
}

async function dueRows(set: WorkingSet, shares: Shares): Promise<Due> {
  const rows: PayoutRow[] = [];
  let isFull = false;
  let leavesNew = false;
  let leavesOld = false;
  for (const [state, limit] of Object.entries(shares)) {
    const due = limit === 0 ? [] : await set.lockDue(payoutTable, { column: 'dueAt', limit, where: { state } });
    rows.push(...due);
    const hasLimit = due.length === limit;
    isFull ||= hasLimit && limit > 0;
    if (state === 'queued') leavesNew = hasLimit;
    else leavesOld ||= hasLimit;
  }
  return { rows, isFull, leavesNew, leavesOld };
}

class Claim {
  readonly calls: ClaimedCall[] = [];
  readonly questions: ClaimedQuestion[] = [];
  gotOn = false;
  private readonly desk: GatewayDesk;
  private readonly room: Room;
  private readonly parts: ClaimParts;
  private readonly reading: ReturnType<typeof readClock>;

  constructor(desk: GatewayDesk, room: Room, parts: ClaimParts, reading: ReturnType<typeof readClock>) {
    this.desk = desk;
    this.room = room;
    this.parts = parts;
    this.reading = reading;
  }

  take(set: WorkingSet, row: PayoutRow): void {
    try {
      this.step(row.transferId);
    } catch (error) {
      this.parts.onBroken(row.transferId, error);
      const { pauseMsMax } = this.parts.rules.policy;
      set.put(payoutTable, { ...row, dueAt: addMilliseconds(set.instant, pauseMsMax) });
    }
  }

  private step(transferId: string): void {
    const payout = this.desk.known(transferId);
    const step = nextStepOf(payout, this.desk.given(payout.instruction.provider));
    if (step === 'send') this.send(transferId, payout);
    else if (step === 'ask') this.ask(transferId, payout);
    else if (step === 'pass-time') this.passTime(transferId);
  }

  private send(transferId: string, payout: KnownPayout): void {
    if (this.calls.length >= this.room.submits) return;
    const requestDigest = requestDigestOf(payout.instruction);
    const events = this.desk.decide(transferId, { type: 'StartAttempt', requestDigest });
    const { clock } = this.parts;
    const call = claimedCall(this.desk.known(transferId), events, { clock, reading: this.reading });
    if (call !== undefined) this.calls.push(call);
    this.gotOn = true;
  }

  private ask(transferId: string, payout: KnownPayout): void {
    if (this.questions.length < this.room.queries) {
      const question = this.desk.askNow(transferId);
      if (question !== undefined) this.questions.push(question);
      this.gotOn = true;
      return;
    }
    const isOverdue = isUndecided(payout) && payout.reviewAt <= this.desk.instant;
    if (this.room.isClosed && isOverdue) this.passTime(transferId);
  }

  private passTime(transferId: string): void {
    const events = this.desk.decide(transferId, { type: 'PassTime' });
    this.gotOn ||= events.length > 0;
  }
}
