import { instantFromWire } from '@compasso/kernel';
import { periodAt } from './limit-buckets.ts';

const night = { from: 20 * 60, until: 6 * 60 };

describe('which buckets a moment falls into', () => {
  it.each([
    ['a second before the night', '2026-11-30T19:59:59-03:00', 'day:2026-11-30', undefined],
    ['the night begins', '2026-11-30T20:00:00-03:00', 'day:2026-11-30', 'night:2026-11-30'],
    [
      'a second before local midnight',
      '2026-11-30T23:59:59-03:00',
      'day:2026-11-30',
      'night:2026-11-30',
    ],
    ['local midnight', '2026-12-01T00:00:00-03:00', 'day:2026-12-01', 'night:2026-11-30'],
    ['a second before 00:00 UTC', '2026-11-30T23:59:59Z', 'day:2026-11-30', 'night:2026-11-30'],
    [
      '00:00 UTC is still the evening',
      '2026-12-01T00:00:00Z',
      'day:2026-11-30',
      'night:2026-11-30',
    ],
    [
      'the last minute of the night',
      '2026-12-01T05:59:59-03:00',
      'day:2026-12-01',
      'night:2026-11-30',
    ],
    ['the night ends', '2026-12-01T06:00:00-03:00', 'day:2026-12-01', undefined],
    ['New Year', '2027-01-01T02:00:00-03:00', 'day:2027-01-01', 'night:2026-12-31'],
    ['no summer time since 2019 (E-08)', '2026-01-15T22:30:00Z', 'day:2026-01-15', undefined],
  ])('%s', (_, at, day, began) => {
    expect(periodAt(instantFromWire(at), night)).toEqual({ day, night: began });
  });

  it('knows a night that does not pass midnight', () => {
    const early = { from: 0, until: 6 * 60 };
    expect(periodAt(instantFromWire('2026-12-01T03:00:00-03:00'), early).night).toBe(
      'night:2026-12-01',
    );
    expect(periodAt(instantFromWire('2026-12-01T21:00:00-03:00'), early).night).toBeUndefined();
  });

  it('lets equal ends cover the whole day', () => {
    const always = { from: 0, until: 0 };
    expect(periodAt(instantFromWire('2026-12-01T12:00:00-03:00'), always).night).toBe(
      'night:2026-12-01',
    );
    expect(periodAt(instantFromWire('2026-12-01T02:00:00-03:00'), always).night).toBe(
      'night:2026-12-01',
    );
  });
});
