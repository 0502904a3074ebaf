// Every call that was received and what was done with it. Written in the transaction of the
// decision, before any answer: a call that got no answer is here too.
import type { Instant } from '@compasso/kernel';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface ReceivedCall {
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  readonly payoutId?: string;
  /** SHA-256 of the bytes as they came, so that a resubmission can be held to be byte-equal. */
  readonly bodyDigest?: string;
  /** The status, `silence`, `reset` or `unreadable`. */
  readonly answer: string;
}

export interface ListedCall extends ReceivedCall {
  readonly sequence: number;
}

export const callsKeptMax = 2_000_000;
const pruneEvery = 10_000;

export class CallTable {
  readonly #insert;
  readonly #list;
  readonly #prune;
  readonly #database: DatabaseSync;
  #listOf: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `insert into calls (at, method, path, payout_id, body_digest, answer)
       values (?, ?, ?, ?, ?, ?)`,
    );
    this.#list = database.prepare(
      'select * from calls where sequence > ? order by sequence limit ?',
    );
    this.#database = database;
    this.#prune = database.prepare('delete from calls where sequence <= ?');
  }

  record({ at, method, path, payoutId, bodyDigest, answer }: ReceivedCall): void {
    const { lastInsertRowid } = this.#insert.run(
      at,
      method,
      path,
      payoutId ?? null,
      bodyDigest ?? null,
      answer,
    );
    const sequence = Number(lastInsertRowid);
    if (sequence % pruneEvery === 0) this.#prune.run(sequence - callsKeptMax);
  }

  list(query: {
    readonly payoutId?: string;
    readonly after: number;
    readonly limit: number;
  }): ListedCall[] {
    const { payoutId, after, limit } = query;
    const rows =
      payoutId === undefined
        ? this.#list.all(after, limit)
        : this.#byPayout().all(payoutId, after, limit);
    return rows.map((row) => ({
      sequence: Number(row['sequence']),
      at: Number(row['at']) as Instant,
      method: String(row['method']),
      path: String(row['path']),
      ...(row['payout_id'] !== null && { payoutId: String(row['payout_id']) }),
      ...(row['body_digest'] !== null && { bodyDigest: String(row['body_digest']) }),
      answer: String(row['answer']),
    }));
  }

  // The index is made for the first who asks: it would double what each call costs, and where load
  // is measured nobody asks.
  #byPayout(): StatementSync {
    if (!this.#listOf) {
      this.#database.exec(
        'create index if not exists calls_by_payout on calls (payout_id, sequence)',
      );
      this.#listOf = this.#database.prepare(
        'select * from calls where payout_id = ? and sequence > ? order by sequence limit ?',
      );
    }
    return this.#listOf;
  }
}
