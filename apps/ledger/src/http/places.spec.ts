import type { Executor } from '@compasso/messaging';
import { withPlaces } from './places.ts';

/** Holds whoever is inside until it is told to let them go. */
function gate() {
  const inside: (() => void)[] = [];
  const executor: Executor = {
    execute: async () => {
      await new Promise<void>((resolve) => inside.push(resolve));
      return undefined as never;
    },
  };
  return { executor, inside };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const work = async () => undefined;
const unavailable = { status: 503, code: 'temporarily_unavailable' };

it('lets so many in, and the next one when somebody leaves', async () => {
  const { executor, inside } = gate();
  const places = withPlaces(executor, { places: 2, waitingMax: 10, waitMsMax: 5_000 });
  const all = [1, 2, 3].map(() => places.execute(work));
  await settled();
  expect(inside).toHaveLength(2);
  inside[0]!();
  await settled();
  expect(inside).toHaveLength(3);
  inside.slice(1).forEach((leave) => leave());
  await Promise.all(all);
});

it('turns away whom it could not even let wait', async () => {
  const { executor, inside } = gate();
  const places = withPlaces(executor, { places: 1, waitingMax: 1, waitMsMax: 5_000 });
  const first = places.execute(work);
  const second = places.execute(work);
  await expect(places.execute(work)).rejects.toMatchObject(unavailable);
  await settled();
  inside[0]!();
  await settled();
  inside[1]!();
  await Promise.all([first, second]);
});

it('tells who has waited too long, and lets the one behind in', async () => {
  const { executor, inside } = gate();
  const places = withPlaces(executor, { places: 1, waitingMax: 5, waitMsMax: -1 });
  const first = places.execute(work);
  const late = places.execute(work);
  await settled();
  inside[0]!();
  await expect(late).rejects.toMatchObject(unavailable);
  await first;
  const next = places.execute(work);
  await settled();
  inside[1]!();
  await next;
});

it('gives the place back when the work fails', async () => {
  const failing: Executor = { execute: () => Promise.reject(new TypeError('broken')) };
  const places = withPlaces(failing, { places: 1, waitingMax: 0, waitMsMax: 0 });
  await expect(places.execute(work)).rejects.toThrow('broken');
  await expect(places.execute(work)).rejects.toThrow('broken');
});
