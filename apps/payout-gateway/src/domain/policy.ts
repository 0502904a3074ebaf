// How long the gateway waits for what. One frozen object; TIME_SCALE shortens the waiting in development, down to
// floors below which a call could not be made at all.
import { invariant } from '@compasso/kernel';

export interface Policy {
  /** A claimed attempt may put its first byte on the wire for this long. */
  readonly sendWindowMs: number;
  /** From a call's first byte until nobody waits for its answer any more; queries too. */
  readonly callTimeoutMs: number;
  /** A question that is not answered in the books after this long is asked again. */
  readonly questionLeaseMs: number;
  /** Pauses before the first two questions and before the first two repeats of an unsent call. */
  readonly firstPausesMs: readonly [number, number];
  /** The third pause; each further one is twice as long, up to `pauseMsMax`. */
  readonly pauseStepMs: number;
  readonly pauseMsMax: number;
  readonly notFoundGraceMs: number;
  /** From the first call that may have left something until a person must look. */
  readonly reviewAfterMs: number;
  /** Between the questions about a payout that a person looks at. */
  readonly slowQueryMs: number;
  /** Calls are held back for this long when the provider does not accept our credentials. */
  readonly credentialPauseMs: number;
  /** For a provider that says "too many" without saying until when. */
  readonly retryAfterMs: number;
  /** The breaker lets one call through after this long. */
  readonly breakerPauseMs: number;
}

const minute = 60_000;

const base: Policy = {
  sendWindowMs: 20_000,
  callTimeoutMs: 8_000,
  questionLeaseMs: 15_000,
  firstPausesMs: [5_000, 10_000],
  pauseStepMs: 30_000,
  pauseMsMax: 15 * minute,
  notFoundGraceMs: 3 * minute,
  reviewAfterMs: 90 * minute,
  slowQueryMs: 15 * minute,
  credentialPauseMs: minute,
  retryAfterMs: 5_000,
  breakerPauseMs: 10_000,
};

/** Shorter than this, a busy machine would turn good calls into unknown ones. */
const floors: Partial<Record<keyof Policy, number>> = {
  sendWindowMs: 2_000,
  callTimeoutMs: 1_000,
  questionLeaseMs: 2_000,
  // A webhook that comes as it should makes the first question of the plan unnecessary.
  firstPausesMs: 400,
  reviewAfterMs: 10_000,
};

const pauseFloorMs = 50;

export function policyFor(timeScale: number): Policy {
  const scaled = (name: keyof Policy, value: number): number =>
    Math.max(floors[name] ?? pauseFloorMs, Math.round(value * timeScale));
  const entries = Object.entries(base).map(([name, value]) => [
    name,
    Array.isArray(value)
      ? value.map((one: number) => scaled(name as keyof Policy, one))
      : scaled(name as keyof Policy, value as number),
  ]);
  const policy = Object.freeze(Object.fromEntries(entries) as Policy);
  invariant(policy.callTimeoutMs < policy.questionLeaseMs, 'a question outlives its call');
  invariant(policy.callTimeoutMs < policy.sendWindowMs, 'a call is shorter than the window it starts in');
  invariant(
    policy.reviewAfterMs > policy.sendWindowMs + policy.callTimeoutMs + policy.notFoundGraceMs,
    'a payout that was never seen can be sent again before a person must look',
  );
  return policy;
}
