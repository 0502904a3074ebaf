// HTTP may use only some of the database's connections: a rush at the door must not starve the
// consumers and the relay of theirs, and waits here in order instead of for connections that time
// out.
import type { Executor } from '@compasso/messaging';
import { temporarilyUnavailable } from '@compasso/runtime';

export interface PlacesPolicy {
  readonly places: number;
  readonly waitingMax: number;
  readonly waitMsMax: number;
}

export const placesPolicy: PlacesPolicy = { places: 4, waitingMax: 2_000, waitMsMax: 5_000 };

interface Waiting {
  readonly since: number;
  readonly enter: () => void;
  readonly giveUp: (reason: unknown) => void;
}

/** @throws Problem 503 from `execute` when too many wait, or have waited too long */
export function withPlaces(executor: Executor, policy = placesPolicy): Executor {
  const waiting: Waiting[] = [];
  let free = policy.places;

  const enter = (): Promise<void> | undefined => {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    if (waiting.length >= policy.waitingMax) throw temporarilyUnavailable();
    return new Promise((resolve, reject) => {
      waiting.push({ since: performance.now(), enter: resolve, giveUp: reject });
    });
  };
  const leave = (): void => {
    for (;;) {
      const next = waiting.shift();
      if (next === undefined) {
        free += 1;
        return;
      }
      if (performance.now() - next.since <= policy.waitMsMax) {
        next.enter();
        return;
      }
      next.giveUp(temporarilyUnavailable());
    }
  };
  return {
    async execute(work, execution) {
      await enter();
      try {
        return await executor.execute(work, execution);
      } finally {
        leave();
      }
    },
  };
}
