// Waits for something that another process does: there is no event for it, so it is asked for again
// and again.
import { setTimeout as pause } from 'node:timers/promises';
import { CodedError } from '@compasso/kernel';

export type Waiting = {
  readonly what: string;
  readonly withinMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal | undefined;
};

/** Asks until the answer is neither undefined nor false. */
export async function until<Answer>(
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  { what, withinMs, everyMs = 50, signal }: Waiting,
): Promise<Answer> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    signal?.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) {
      throw new CodedError('waited_too_long', `waited ${withinMs} ms in vain for ${what}`, {
        withinMs,
      });
    }
    await pause(everyMs, undefined, signal === undefined ? {} : { signal });
  }
}
