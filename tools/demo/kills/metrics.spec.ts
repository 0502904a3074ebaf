import { growth } from './metrics.ts';

describe('how much counters have grown', () => {
  it.each([
    ['a counter that went on', { a: 2 }, { a: 5 }, 3],
    ['a process that was started again', { a: 9 }, { a: 4 }, 4],
    ['one that was not there before', {}, { a: 4 }, 4],
    ['several', { a: 1, b: 1 }, { a: 1, b: 3 }, 2],
  ])('%s', (_, before, after, grown) => {
    expect(growth(new Map(Object.entries(before)), new Map(Object.entries(after)))).toBe(grown);
  });
});
