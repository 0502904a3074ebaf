import { instantOf } from '@compasso/kernel';
import { DueQueue } from './due-queue.ts';

const at = (milliseconds: number) => instantOf(1_800_000_000_000 + milliseconds);

/** The same numbers on every run. */
const scattered = Array.from({ length: 500 }, (_, index) => (index * 7_919) % 503);

function queueOf(instants: readonly number[]) {
  const queue = new DueQueue<number>();
  for (const instant of instants) queue.push(at(instant), instant);
  return queue;
}

describe('the queue of what is due', () => {
  it('gives the earliest first, in whatever order it got them', () => {
    const sorted = scattered.toSorted((one, other) => one - other);
    expect(queueOf(scattered).take(at(1_000), 1_000)).toEqual(sorted);
  });

  it('keeps what is not due yet, and says when it will be', () => {
    const queue = queueOf([30, 10, 20, 10]);
    expect(queue.firstAt).toBe(at(10));
    expect(queue.take(at(9), 10)).toEqual([]);
    expect(queue.take(at(20), 10)).toEqual([10, 10, 20]);
    expect(queue.firstAt).toBe(at(30));
  });

  it('gives no more than is asked for, and takes more in between', () => {
    const queue = queueOf(scattered);
    const taken = queue.take(at(1_000), 250);
    for (const one of taken) queue.push(at(one), one);
    expect(queue.take(at(1_000), 250)).toEqual(taken);
  });

  it('has nothing when it is empty', () => {
    const queue = queueOf([1]);
    queue.take(at(1), 1);
    expect([queue.firstAt, queue.take(at(9), 9)]).toEqual([undefined, []]);
  });
});
