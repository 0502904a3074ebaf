// What waits for its instant, the earliest first: a binary heap. The store has it all; this saves
// asking it at every turn.
import type { Instant } from '@compasso/kernel';

interface Waiting<Item> {
  readonly at: Instant;
  readonly item: Item;
}

export class DueQueue<Item> {
  readonly #heap: Waiting<Item>[] = [];

  /** The instant at which the first is due. */
  get firstAt(): Instant | undefined {
    return this.#heap[0]?.at;
  }

  push(at: Instant, item: Item): void {
    const heap = this.#heap;
    const pushed = { at, item };
    let place = heap.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (!parent || parent.at <= at) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = pushed;
  }

  /** At most `limit` of those that are due at `now`. */
  take(now: Instant, limit: number): Item[] {
    const heap = this.#heap;
    const taken: Item[] = [];
    for (let first = heap[0]; first && first.at <= now; first = heap[0]) {
      if (taken.length >= limit) break;
      taken.push(first.item);
      this.#removeFirst();
    }
    return taken;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#sink(last);
  }

  #sink(sinking: Waiting<Item>): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      const left = heap[2 * place + 1];
      const right = heap[2 * place + 2];
      const isRight = left && right && right.at < left.at;
      const earlier = isRight ? right : left;
      if (!earlier || earlier.at >= sinking.at) break;
      heap[place] = earlier;
      place = 2 * place + (isRight ? 2 : 1);
    }
    heap[place] = sinking;
  }
}
