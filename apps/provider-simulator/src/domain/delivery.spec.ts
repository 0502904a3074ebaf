import { instantOf } from '@compasso/kernel';
import { deliveryLimits, nextTry } from './delivery.ts';

const given = { now: instantOf(1_000_000), timeScale: 1 };

describe('a delivery that failed', () => {
  it('is tried again after 1 s, 2 s, 4 s …', () => {
    const waits = [1, 2, 3, 7].map(
      (attempts) => (nextTry({ attempts, signature: 'right' }, given) ?? 0) - given.now,
    );
    expect(waits).toEqual([1_000, 2_000, 4_000, 64_000]);
  });

  it('is given up in the end', () => {
    expect(
      nextTry({ attempts: deliveryLimits.attemptsMax, signature: 'right' }, given),
    ).toBeUndefined();
  });

  it('is not repeated by a forger', () => {
    expect(nextTry({ attempts: 1, signature: 'wrong' }, given)).toBeUndefined();
  });

  it('waits by the time scale', () => {
    expect(nextTry({ attempts: 1, signature: 'right' }, { ...given, timeScale: 0.1 })).toBe(
      given.now + 100,
    );
  });
});
