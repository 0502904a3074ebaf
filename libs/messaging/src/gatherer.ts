// Group commit: what comes in while one batch is being written is written together in the next. Under light load nothing
// waits; under heavy load a hundred results cost one transaction.
import { restMsAfter } from './shell/rest-after.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface GathererOptions<Item, Result> {
  /** Results in the order of the items. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Of one write; an item that is larger by itself is written alone. */
  readonly sizeMax: number;
  /** Before a write that follows on another, so that there is more to write together. None, unless told how. */
  readonly rest?: Resting;
  /** One, unless told otherwise. */
  readonly sizeOf?: (item: Item) => number;
}

export interface Resting {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

export class Gatherer<Item, Result> {
  readonly #options: GathererOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #writing: Promise<void> | undefined;

  constructor(options: GathererOptions<Item, Result>) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get sizeMax(): number {
    return this.#options.sizeMax;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Everything that was added so far, and since, is written. */
  async drain(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    const { rest } = this.#options;
    // Whatever arrives in this turn of the event loop belongs to the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const began = rest?.now() ?? 0;
      await this.#writeBatch(this.#waiting.splice(0, this.#countForOne()));
      // What fills a write by itself need not wait for more.
      const isFull = this.#countForOne() < this.#waiting.length;
      if (rest !== undefined && !isFull) await rest.pause(restMsAfter(rest.now() - began));
    }
    this.#writing = undefined;
  }

  #countForOne(): number {
    const { sizeMax, sizeOf = () => 1 } = this.#options;
    let size = 0;
    const tooMany = this.#waiting.findIndex(({ item }) => (size += sizeOf(item)) > sizeMax);
    return tooMany === -1 ? this.#waiting.length : Math.max(1, tooMany);
  }

  async #writeBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
