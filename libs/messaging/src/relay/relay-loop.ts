// Turns the relay's rounds into a life: woken after a commit in this process, polling for those of other replicas,
// backing off while the broker is away.
import type { Logger } from '@compasso/observability';
import { type OutboxRelay, relayLimits } from './outbox-relay.ts';

export interface RelayLoop {
  wake(): void;
  /** Publishes what is committed by now, as far as the broker lets it, then ends. */
  stop(): Promise<void>;
  /** For readiness: when a round last ended without a failure. */
  lastGoodRound(): number;
}

export function startRelayLoop(relay: OutboxRelay, logger: Logger): RelayLoop {
  let stopped = false;
  let failures = 0;
  let lastGood = performance.now();
  let wakeUp: () => void = () => undefined;
  let woken = false;

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      if (woken || stopped) wakeUp();
    });

  const once = async (): Promise<boolean> => {
    woken = false;
    try {
      const round = await relay.round();
      failures = round.failed ? failures + 1 : 0;
      if (!round.failed) lastGood = performance.now();
      return round.more && !round.failed;
    } catch (error) {
      failures += 1;
      if (failures === 1) logger.warn({ error: String(error) }, 'the relay could not read the outbox; it tries again');
      return false;
    }
  };

  const life = (async () => {
    while (!stopped) {
      if (await once()) continue;
      const backoff = failures === 0 ? relayLimits.pollMs : Math.min(5_000, 100 * 2 ** Math.min(failures, 6));
      if (failures > 0) woken = false;
      await pause(backoff * (failures === 0 ? 1 : 0.5 + Math.random()));
    }
    await once();
  })();

  return {
    wake() {
      woken = true;
      if (failures === 0) wakeUp();
    },
    async stop() {
      stopped = true;
      wakeUp();
      await life;
    },
    lastGoodRound: () => lastGood,
  };
}
