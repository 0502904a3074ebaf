import type { Policy } from './policy.ts';

/** A number in [0, 1) that is handed in, so that replicas do not ask in step and tests can choose. */
export type Chance = number;

/** At most this share is taken off a pause; never added, so that "at most 15 minutes apart" stays true. */
const jitterShare = 0.2;

/** The pause before try 1, 2, 3 …: 5 s, 10 s, then 30 s · 2ⁿ, at most 15 min. */
export function pauseBefore(attempt: number, policy: Policy, chance: Chance): number {
  const [first, second] = policy.firstPausesMs;
  const whole = attempt <= 1 ? first : attempt === 2 ? second : grown(attempt - 3, policy);
  return jittered(Math.min(whole, policy.pauseMsMax), chance);
}

export const jittered = (pauseMs: number, chance: Chance): number =>
  Math.max(1, Math.round(pauseMs * (1 - jitterShare * chance)));

// Beyond 30 doublings every cap is long passed, and the power would lose its precision.
const grown = (doublings: number, policy: Policy): number =>
  policy.pauseStepMs * 2 ** Math.min(doublings, 30);
