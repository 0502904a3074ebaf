import { Gatherer } from './gatherer.ts';
import { restLimits, restMsAfter } from './shell/rest-after.ts';

function setup(sizeMax = 100, sizeOf?: (item: number) => number) {
  const batches: number[][] = [];
  let release: (() => void)[] = [];
  const gatherer = new Gatherer<number, number>({
    sizeMax,
    ...(sizeOf === undefined ? {} : { sizeOf }),
    write: async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => release.push(resolve));
      if (items.includes(13)) throw new TypeError('unlucky');
      return items.map((item) => item * 2);
    },
  });
  const written = async (): Promise<void> => {
    while (release.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [first] = release;
    release = release.slice(1);
    first?.();
  };
  return { batches, gatherer, written };
}

describe('a gatherer', () => {
  it('writes together what comes while something is being written', async () => {
    const { gatherer, batches, written } = setup();
    const first = gatherer.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    const others = [2, 3, 4].map((item) => gatherer.add(item));
    await written();
    expect(await first).toBe(2);
    await written();
    expect(await Promise.all(others)).toEqual([4, 6, 8]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });

  it('writes so many at once', async () => {
    const { gatherer, batches, written } = setup(2);
    const all = [1, 2, 3].map((item) => gatherer.add(item));
    await written();
    await written();
    await Promise.all(all);
    expect(batches).toEqual([[1, 2], [3]]);
  });

  it('writes what is larger than that by itself', async () => {
    const { gatherer, batches, written } = setup(10, (item) => item);
    const all = [4, 5, 12, 1].map((item) => gatherer.add(item));
    for (let round = 0; round < 3; round += 1) await written();
    await Promise.all(all);
    expect(batches).toEqual([[4, 5], [12], [1]]);
  });

  it('tells everybody of a batch that failed, and goes on', async () => {
    const { gatherer, written } = setup();
    const failing = [gatherer.add(13), gatherer.add(1)].map((one) => one.catch((error: unknown) => error));
    await written();
    expect(await Promise.all(failing)).toEqual([new TypeError('unlucky'), new TypeError('unlucky')]);
    const next = gatherer.add(5);
    await written();
    expect(await next).toBe(10);
  });

  it('is drained when everything is written', async () => {
    const { gatherer, written } = setup();
    const item = gatherer.add(1);
    const drained = gatherer.drain();
    await written();
    await drained;
    expect(await item).toBe(2);
  });

  it('rests as long as a write took before the next, but not when that one is full already', async () => {
    let now = 0;
    const rests: number[] = [];
    const batches: number[][] = [];
    const gatherer = new Gatherer<number, number>({
      sizeMax: 2,
      rest: { now: () => now, pause: async (ms) => void rests.push(ms) },
      write: async (items) => {
        now += 40;
        batches.push([...items]);
        return items;
      },
    });
    await Promise.all([1, 2, 3, 4, 5].map((item) => gatherer.add(item)));
    await gatherer.drain();
    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
    expect(rests).toEqual([40, 40]);
  });
});

describe('a rest', () => {
  it.each([
    [0, restLimits.msMin],
    [40, 40],
    [5_000, restLimits.msMax],
  ])('after %d ms of work is %d ms', (worked, rest) => {
    expect(restMsAfter(worked)).toBe(rest);
  });
});
