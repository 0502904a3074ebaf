// One loop per replica: claim what is due and can be done, call outside any transaction, record what came of it. Everything
// that it knows is in the database; a replica that dies leaves only instants that come due again.
import type { Clock } from '@compasso/kernel';
import { Gatherer, restMsAfter } from '@compasso/messaging';
import { isUndecided } from '../domain/payout.ts';
import type { ClaimedQuestion } from '../postgres/gateway-desk.ts';
import { askProvider, type AskParts } from './ask-provider.ts';
import { claimWork, type Claimed, type ClaimParts, type Look } from './claim-work.ts';
import { type Fact, type Recorded, recordFacts, type RecordParts } from './record-facts.ts';
import { sendPayout, type SendParts } from './send-payout.ts';
import type { ClaimedCall } from './work.ts';

export interface WorkerParts extends ClaimParts, RecordParts, AskParts, Omit<SendParts, 'isStopping'> {
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
  /** A turn or a record that failed; it is tried again. */
  readonly onTrouble: (error: unknown, what: 'claim' | 'record') => void;
}

export const workerLimits = {
  /** Between two looks at the queue when nothing wakes the worker, and between two at all of it when nothing calls for one. */
  pollMs: 250,
  retryMs: 500,
  factsPerRecordMax: 200,
} as const;

export class PayoutWorker {
  readonly #parts: WorkerParts;
  readonly #record: Gatherer<Fact, Recorded | undefined>;
  readonly #underWay = new Set<Promise<void>>();
  #isStopping = false;
  #isAwake = false;
  /** Whether a new payout may wait, and whether one that was sent may be due before the next poll: without either, no look. */
  #isNewDue = true;
  #isOldDue = true;
  #lastFullLook = Number.NEGATIVE_INFINITY;
  #wakeUp: () => void = () => undefined;
  #loop: Promise<void> | undefined;
  #lastGoodTurn: number;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#lastGoodTurn = parts.clock.monotonic();
    this.#record = new Gatherer({
      sizeMax: workerLimits.factsPerRecordMax,
      write: (facts) => this.#recordUntilDone(facts),
      rest: { now: () => parts.clock.monotonic(), pause: parts.pause },
    });
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** There may be something new to send: a batch was consumed. */
  wake(): void {
    this.#isNewDue = true;
    this.#stir();
  }

  /** A payout that was sent may be due: a hint came. */
  wakeForOld(): void {
    this.#isOldDue = true;
    this.#stir();
  }

  /** How many questions could begin now. */
  roomForQuestions(): number {
    return this.#isStopping ? 0 : this.#parts.gate.room().queries;
  }

  /** Puts a question that somebody else has committed. */
  ask(question: ClaimedQuestion): void {
    this.#follow(this.#ask(question));
  }

  /** Milliseconds since the queue was last looked at: progress, for readiness. */
  silentMs(): number {
    return this.#parts.clock.monotonic() - this.#lastGoodTurn;
  }

  /** One look at the queue: what is claimed is under way when this returns. Undefined: the look failed. */
  async turn(look: Look = 'all'): Promise<Claimed | undefined> {
    const { gate, clock } = this.#parts;
    this.#isNewDue = false;
    if (look === 'all') this.#isOldDue = false;
    try {
      const claimed = await claimWork({ ...gate.room(), isClosed: gate.isClosed() }, this.#parts, look);
      this.#lastGoodTurn = clock.monotonic();
      if (look === 'all') this.#lastFullLook = this.#lastGoodTurn;
      this.#isNewDue ||= claimed.leavesNew;
      this.#isOldDue ||= claimed.leavesOld;
      for (const call of claimed.calls) this.#follow(this.#send(call));
      for (const question of claimed.questions) this.#follow(this.#ask(question));
      return claimed;
    } catch (error) {
      this.#isNewDue = true;
      this.#isOldDue = true;
      this.#parts.onTrouble(error, 'claim');
      return undefined;
    }
  }

  /** Every call and question that is under way has ended and is recorded. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await this.#record.drain();
  }

  /** Claims nothing more, gives back what has not begun, and waits for what has. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stir();
    await this.#loop;
    await this.settled();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#isAwake = false;
      const look = this.#nextLook();
      const began = this.#parts.clock.monotonic();
      const claimed = look === undefined ? 'nothing' : await this.turn(look);
      const restMs = restMsAfter(this.#parts.clock.monotonic() - began);
      if (claimed === undefined) await this.#sleep(workerLimits.retryMs, restMs);
      else if (claimed !== 'nothing' && claimed.isFull) await this.#parts.pause(restMs);
      else await this.#sleep(workerLimits.pollMs, restMs);
    }
  }

  /** Undefined: every look costs a transaction, and nothing says that one would find anything. */
  #nextLook(): Look | undefined {
    const { clock, gate } = this.#parts;
    if (this.#isOldDue || clock.monotonic() - this.#lastFullLook >= workerLimits.pollMs) return 'all';
    return this.#isNewDue && gate.room().submits > 0 ? 'new' : undefined;
  }

  #stir(): void {
    this.#isAwake = true;
    this.#wakeUp();
  }

  async #send(call: ClaimedCall): Promise<void> {
    const parts = { ...this.#parts, isStopping: () => this.#isStopping };
    const { outcome } = await sendPayout(call, parts);
    // Another replica may take at once what this one gives back.
    const told =
      outcome.kind === 'not_sent' && outcome.cause === 'stopped' ? { ...outcome, retryAfterMs: 0 } : outcome;
    // Only an order that was taken and has not ended is sure not to be due at once.
    if (told.kind !== 'accepted' || told.isFinal === true) this.#isOldDue = true;
    const { transferId } = call.payout.instruction;
    await this.#record.add({
      transferId,
      command: { type: 'RecordOutcome', attempt: call.attempt.attempt, outcome: told },
    });
  }

  async #ask(question: ClaimedQuestion): Promise<void> {
    const command = await askProvider(question, this.#parts);
    const recorded = await this.#record.add({ transferId: question.payout.instruction.transferId, command });
    // A hint that came meanwhile has made the next question due at once.
    if (recorded !== undefined && isUndecided(recorded.payout)) this.#isOldDue = true;
    if (recorded?.call !== undefined) await this.#send(recorded.call);
  }

  /** What is known of a call is not given up while this process lives. */
  async #recordUntilDone(facts: readonly Fact[]): Promise<readonly (Recorded | undefined)[]> {
    for (;;) {
      try {
        return await recordFacts(facts, this.#parts);
      } catch (error) {
        this.#parts.onTrouble(error, 'record');
        await this.#parts.pause(workerLimits.retryMs);
      }
    }
  }

  #follow(work: Promise<void>): void {
    const followed = work
      .catch((error: unknown) => this.#parts.onTrouble(error, 'record'))
      .finally(() => {
        this.#underWay.delete(followed);
        this.#stir();
      });
    this.#underWay.add(followed);
  }

  /** @param restMs what a worker that was woken rests at least, so that a look finds more than one payout */
  async #sleep(ms: number, restMs: number): Promise<void> {
    if (this.#isAwake || this.#isStopping) return this.#parts.pause(restMs);
    const woken = new Promise<void>((resolve) => (this.#wakeUp = resolve));
    await Promise.race([woken, this.#parts.pause(ms)]);
  }
}
