// Runs a turn whenever something is due. What is due lives in the store; here is only the timer, so
// a restart loses nothing.
import type { Clock, Instant } from '@compasso/kernel';
import type { CheckResult } from '@compasso/runtime';

export const loopLimits = {
  /** Wake-ups closer than this become one turn. */
  gapMsMin: 10,
  /** A sleeper looks at the wall clock at least this often: it may have been set. */
  sleepMsMax: 1_000,
  /** Work that has been due for longer is not being done. */
  lateMsMax: 10_000,
} as const;

export class DueLoop {
  readonly #clock: Clock;
  readonly #turn: () => Promise<Instant | undefined>;
  #wakeAt: Instant | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #turnSince: Instant | undefined;
  #stopped = false;

  /** `turn` does what is due and says when to come again. A turn that fails ends the process. */
  constructor(clock: Clock, turn: () => Promise<Instant | undefined>) {
    this.#clock = clock;
    this.#turn = turn;
  }

  wakeAt(at: Instant): void {
    if (this.#stopped || (this.#wakeAt !== undefined && this.#wakeAt <= at)) return;
    this.#wakeAt = at;
    if (!this.#running) this.#arm();
  }

  wake(): void {
    this.wakeAt(this.#clock.now());
  }

  /** Whether what is due is being done. */
  check(): CheckResult {
    const since = this.#turnSince ?? this.#wakeAt;
    const late = since !== undefined && this.#clock.now() - since > loopLimits.lateMsMax;
    return late ? { ok: false, detail: 'due work is not being done' } : { ok: true };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#wakeAt === undefined || this.#stopped) return;
    const sleepMs = Math.min(
      Math.max(this.#wakeAt - this.#clock.now(), loopLimits.gapMsMin),
      loopLimits.sleepMsMax,
    );
    this.#timer = setTimeout(() => this.#awake(), sleepMs);
  }

  #awake(): void {
    if (this.#wakeAt === undefined || this.#wakeAt > this.#clock.now()) return this.#arm();
    this.#wakeAt = undefined;
    this.#turnSince = this.#clock.now();
    this.#running = this.#turn().then((next) => {
      this.#running = undefined;
      this.#turnSince = undefined;
      if (next !== undefined) this.wakeAt(next);
      this.#arm();
    });
  }
}
