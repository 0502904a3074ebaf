// Turns the relay's rounds into a life: woken after a commit in this process, polling for those of other replicas,
// backing off while the broker is away.
import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from '@compasso/observability';
import { restMsAfter } from '../shell/rest-after.ts';
import { type OutboxRelay, relayLimits } from './outbox-relay.ts';

export interface RelayLoop {
  wake(): void;
  /** Publishes what is committed by now, as far as the broker lets it and for a limited time, then ends. */
  stop(): Promise<void>;
  /** For readiness: when a round last ended without a failure. */
  lastGoodRound(): number;
}

const backoffMs = { first: 100, max: 5_000 } as const;
const flushMsMax = 4_000;

export function startRelayLoop(relay: Pick<OutboxRelay, 'round'>, logger: Logger): RelayLoop {
  const life = new RelayLife(relay, logger);
  life.start();
  return life;
}

class RelayLife implements RelayLoop {
  private readonly relay: Pick<OutboxRelay, 'round'>;
  private readonly logger: Logger;
  private life: Promise<void> = Promise.resolve();
  private stopped = false;
  private failures = 0;
  private lastGood = performance.now();
  private woken = false;
  private wakeUp: () => void = () => undefined;

  constructor(relay: Pick<OutboxRelay, 'round'>, logger: Logger) {
    this.relay = relay;
    this.logger = logger;
  }

  start(): void {
    this.life = this.live();
  }

  wake(): void {
    this.woken = true;
    if (this.failures === 0) this.wakeUp();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, flushMsMax)));
    await Promise.race([this.life, late]);
    clearTimeout(timer);
  }

  lastGoodRound(): number {
    return this.lastGood;
  }

  private async live(): Promise<void> {
    while (!this.stopped) {
      const began = performance.now();
      if (await this.once()) continue;
      if (this.failures > 0) this.woken = false;
      // Woken while it was at work: more is on its way.
      if (this.woken) await rest(restMsAfter(performance.now() - began));
      else await this.pause(this.pauseMs());
    }
    // A broker that was away a moment ago would only hold up the stop; the rows stay for the next leader.
    if (this.failures === 0) while (await this.once());
  }

  /** True when more waits and may leave at once. */
  private async once(): Promise<boolean> {
    this.woken = false;
    try {
      const round = await this.relay.round();
      this.failures = round.failed ? this.failures + 1 : 0;
      if (!round.failed) this.lastGood = performance.now();
      return round.more && !round.failed;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        this.logger.warn({ error: String(error) }, 'the relay could not read the outbox; it tries again');
      }
      return false;
    }
  }

  private pauseMs(): number {
    if (this.failures === 0) return relayLimits.pollMs;
    return Math.min(backoffMs.max, backoffMs.first * 2 ** Math.min(this.failures, 6)) * (0.5 + Math.random());
  }

  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.woken || this.stopped) this.wakeUp();
    });
  }
}
