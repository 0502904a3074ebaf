import fc from 'fast-check';
import { pauseBefore } from './backoff.ts';
import { policyFor } from './policy.ts';

const policy = policyFor(1);

describe('pauses', () => {
  it('grow by the plan', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => pauseBefore(attempt, policy, 0) / 1_000);
    expect(seconds).toEqual([5, 10, 30, 60, 120, 240, 480, 900, 900]);
  });

  it('are shortened by chance, by a fifth at most, and never longer than 15 minutes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, chance) => {
          const pause = pauseBefore(attempt, policy, chance);
          const whole = pauseBefore(attempt, policy, 0);
          return pause <= whole && pause >= whole * 0.8 && pause <= 15 * 60_000;
        },
      ),
    );
  });
});

describe('the policy', () => {
  it('is scaled as a whole, down to floors that calls need', () => {
    const fast = policyFor(0.02);
    expect(fast).toMatchObject({ reviewAfterMs: 108_000, slowQueryMs: 18_000, firstPausesMs: [400, 400] });
    expect(fast).toMatchObject({ callTimeoutMs: 1_000, sendWindowMs: 2_000 });
    expect(Object.isFrozen(fast)).toBe(true);
  });

  it('keeps its relations at every scale that the configuration takes', () => {
    for (const scale of [0.0001, 0.001, 0.01, 0.1, 1, 10, 100]) expect(() => policyFor(scale)).not.toThrow();
  });
});
