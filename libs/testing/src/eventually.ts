// Waiting for things, not for time: polls until the condition holds, and says what it waited for when it never does.
import { CodedError } from '@compasso/kernel';
import { setTimeout as pause } from 'node:timers/promises';

export interface Waiting {
  readonly withinMs?: number;
  /** What is waited for, in words: the message of the failure. */
  readonly because: string;
}

/** Returns the first value that is neither undefined nor false. A throwing probe counts as "not yet". */
export async function eventually<Value>(
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
  { withinMs = 20_000, because }: Waiting,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new CodedError('waited_in_vain', `Waited ${withinMs} ms in vain: ${because}`, {}, { cause: last });
    }
    await pause(25);
  }
}
