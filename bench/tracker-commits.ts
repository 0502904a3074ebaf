// "Completed" is the tracker's commit: read from its database's own commit timestamps, not from a poll.
import { setTimeout as pause } from 'node:timers/promises';
import { ledgerEvents, ledgerTransferSettledV1 } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import { openReader } from '@compasso/postgres';
import type pg from 'pg';

const pollMs = 500;
/** Counting reads the whole table: seldom, and when the tracker has come to rest. */
const countEveryMs = 10_000;
const restMs = 1_500;

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
      'select count(*)::int as n from event where type = $1',
      [ledgerTransferSettledV1.type],
    );
    return rows[0]!.n;
  }

  async untilCompleted(count: number, withinMs: number, progress: (done: number) => void): Promise<void> {
    const deadline = performance.now() + withinMs;
    let counted = performance.now();
    let moved = counted;
    let place = '';
    for (;;) {
      await pause(pollMs);
      const before = place;
      place = await this.#place();
      const now = performance.now();
      if (place !== before) moved = now;
      if (now - Math.max(moved, counted) < restMs && now - counted < countEveryMs) continue;
      counted = now;
      const done = await this.completed();
      if (done >= count) return;
      if (now > deadline) {
        throw new CodedError('bench_too_slow', `Only ${done} of ${count} transfers completed in time.`, {});
      }
      progress(done);
    }
  }

  /** How far the tracker has read what the ledger says. */
  async #place(): Promise<string> {
    const { rows } = await this.#pool.query<{ place: string }>(
      'select coalesce(sum(next_offset), 0)::text as place from position where topic = $1',
      [ledgerEvents.name],
    );
    return rows[0]!.place;
  }

  /** When the tracker committed the settlement of each transfer, in epoch milliseconds. */
  async settledAt(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#pool.query<{ subject: string; at: number }>(
      `select subject, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as at
       from event where type = $1`,
      [ledgerTransferSettledV1.type],
    );
    return new Map(rows.map(({ subject, at }) => [subject, at]));
  }
}
