// "Completed" is the tracker's commit: read from its database's own commit timestamps, not from a poll.
import { setTimeout as pause } from 'node:timers/promises';
import { CodedError } from '@compasso/kernel';
import { openReader } from '@compasso/postgres';
import type pg from 'pg';

export class TrackerCommits {
  readonly #pool: pg.Pool;

  constructor(databaseUrl: string) {
    this.#pool = openReader(databaseUrl, 'bench');
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async completed(): Promise<number> {
    const { rows } = await this.#pool.query<{ n: number }>(
      `select count(*)::int as n from event where name = 'ledger.transfer-settled'`,
    );
    return rows[0]!.n;
  }

  async untilCompleted(count: number, withinMs: number, progress: (done: number) => void): Promise<void> {
    const deadline = performance.now() + withinMs;
    let reported = performance.now();
    for (;;) {
      const done = await this.completed();
      if (done >= count) return;
      if (performance.now() > deadline) {
        throw new CodedError('bench_too_slow', `Only ${done} of ${count} transfers completed in time.`, {});
      }
      if (performance.now() - reported > 2_000) {
        reported = performance.now();
        progress(done);
      }
      await pause(1_000);
    }
  }

  /** When the tracker committed the settlement of each transfer, in epoch milliseconds. */
  async settledAt(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#pool.query<{ subject: string; at: number }>(
      `select subject, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as at
       from event where name = 'ledger.transfer-settled'`,
    );
    return new Map(rows.map(({ subject, at }) => [subject, at]));
  }
}
