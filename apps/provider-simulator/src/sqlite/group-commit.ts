// Many small transactions as one: whatever is asked for within two milliseconds commits together,
// and nobody is answered before that. A group that fails is done again one by one, so that a bad
// one fails alone.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export const gatherMs = 2;

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commitAll: StatementSync;
  readonly #onRollback: () => void;
  #waiting: Waiting[] = [];

  /** `onRollback` is told when what `work` did has been undone. */
  constructor(database: DatabaseSync, onRollback: () => void) {
    this.#database = database;
    this.#begin = database.prepare('begin immediate');
    this.#commitAll = database.prepare('commit');
    this.#onRollback = onRollback;
  }

  /**
   * Runs `work` inside a transaction, perhaps with others, perhaps twice; resolves after the
   * commit.
   */
  run<Result>(work: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#waiting.length === 0) setTimeout(() => this.flush(), gatherMs);
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** Commits what waits, now. */
  flush(): void {
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length === 0 || this.#commit(group)) return;
    for (const one of group) this.#commitAlone(one);
  }

  #commit(group: readonly Waiting[]): boolean {
    let results: unknown[];
    try {
      results = this.#transaction(() => group.map(({ work }) => work()));
    } catch {
      // Not lost: each is done again alone, and the one that fails again says why to its caller.
      return false;
    }
    group.forEach(({ resolve }, index) => resolve(results[index]));
    return true;
  }

  #commitAlone({ work, resolve, reject }: Waiting): void {
    try {
      resolve(this.#transaction(work));
    } catch (error) {
      reject(error);
    }
  }

  #transaction<Result>(work: () => Result): Result {
    this.#begin.run();
    try {
      const result = work();
      this.#commitAll.run();
      return result;
    } catch (error) {
      // SQLite may have rolled back by itself (a full disk); a second rollback would hide the
      // reason.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      this.#onRollback();
      throw error;
    }
  }
}
