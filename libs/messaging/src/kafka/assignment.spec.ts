import { instantOf } from '@compasso/kernel';
import type { ReceivedRecord } from '../ports/transport.ts';
import { Assignment } from './assignment.ts';

const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const record = (offset: bigint, id = idOf(Number(offset))): ReceivedRecord => ({
  offset,
  timestamp: instantOf(0),
  key: null,
  value: Buffer.from('{}'),
  headers: { ce_id: id },
});

const log = (first: bigint, next: bigint) => [{ partition: 3, first, next }];

function seated(position: { nextOffset: bigint; lastId: string | null } | undefined, first = 0n, next = 100n): Assignment {
  const assignment = new Assignment('letters', [3]);
  assignment.takeSeats(log(first, next), [position]);
  return assignment;
}

describe('an assignment', () => {
  it('begins at the start of the log when nothing was ever read', () => {
    expect(seated(undefined, 7n).seekTo(3)).toBe(7n);
  });

  it('begins one record before the position, to recognise it', () => {
    const assignment = seated({ nextOffset: 10n, lastId: idOf(9) });
    expect(assignment.seekTo(3)).toBe(9n);
    expect(assignment.arrival(3, record(9n))).toBe('expected');
    expect(() => assignment.confirm(3, record(9n))).not.toThrow();
  });

  it('stops where another record stands than the one that was read last', () => {
    const assignment = seated({ nextOffset: 10n, lastId: idOf(9) });
    expect(() => assignment.confirm(3, record(9n, idOf(77)))).toThrow(expect.objectContaining({ code: 'log_data_lost' }));
  });

  it.each([
    ['begins after the position', 11n, 100n],
    ['ends before the position', 0n, 9n],
    ['is empty', 0n, 0n],
  ])('stops when the log %s', (_, first, next) => {
    expect(() => seated({ nextOffset: 10n, lastId: idOf(9) }, first, next)).toThrow(
      expect.objectContaining({ code: 'log_data_lost' }),
    );
  });

  it('takes a batch from before what it asked for as strayed: the client went on elsewhere by itself', () => {
    const assignment = seated({ nextOffset: 10n, lastId: idOf(9) });
    assignment.advance(3, 15n, 100n);
    expect(assignment.arrival(3, record(0n))).toBe('strayed');
  });

  it('asks once more when a batch begins later than expected, and then believes it', () => {
    const assignment = seated(undefined);
    expect(assignment.arrival(3, record(4n))).toBe('again');
    expect(assignment.arrival(3, record(4n))).toBe('gap');
  });

  it('lets a gap pass that retention did not make, and stops at one that it made', () => {
    const assignment = seated(undefined);
    assignment.confirm(3, record(0n));
    assignment.advance(3, 5n, 100n);
    expect(() => assignment.refuseLoss(3, log(5n, 100n))).not.toThrow();
    expect(() => assignment.refuseLoss(3, log(6n, 100n))).toThrow(expect.objectContaining({ code: 'log_data_lost' }));
  });

  it('does not miss the record before its position when retention takes it', () => {
    const assignment = seated({ nextOffset: 10n, lastId: idOf(9) });
    expect(() => assignment.refuseLoss(3, log(10n, 100n))).not.toThrow();
    expect(() => assignment.refuseLoss(3, log(11n, 100n))).toThrow();
  });

  it('notices a log that ends earlier than before', () => {
    const assignment = seated(undefined);
    assignment.advance(3, 5n, 120n);
    assignment.see(log(0n, 140n));
    expect(assignment.hasShrunk(3, 120n)).toBe(false);
    expect(assignment.hasShrunk(3, 119n)).toBe(true);
  });

  it('counts what is left to read, without the record that is only recognised', () => {
    const assignment = seated({ nextOffset: 10n, lastId: idOf(9) });
    expect(assignment.lag()).toBe(90n);
    assignment.advance(3, 60n, 120n);
    expect(assignment.lag()).toBe(60n);
  });

  it('stands still only while there is something to read', () => {
    const assignment = seated(undefined, 0n, 0n);
    expect(assignment.stalledMs()).toBe(0);
    assignment.see(log(0n, 5n));
    expect(assignment.stalledMs()).toBeGreaterThanOrEqual(0);
    expect(assignment.lag()).toBe(5n);
  });
});
