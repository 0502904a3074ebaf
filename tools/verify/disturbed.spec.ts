import { disturbedBy } from './disturbed.ts';

const transfer = { transferId: 'one', from: 100_000, until: 110_000 };

describe('which traces a killed process has torn', () => {
  it.each([
    ['in the middle of it', 105_000, true],
    ['just before it was asked for', 95_000, true],
    ['just after its end', 115_000, true],
    ['long before', 90_000, false],
    ['long after', 120_000, false],
  ])('a death %s', (_, at, isDisturbed) => {
    expect(disturbedBy([at], [transfer]).has('one')).toBe(isDisturbed);
  });

  it('none, when nobody died', () => {
    expect(disturbedBy([], [transfer]).size).toBe(0);
  });
});
