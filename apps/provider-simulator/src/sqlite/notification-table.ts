import { type Instant, instantOf } from '@compasso/kernel';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { SignatureKind } from '../domain/fault.ts';
import type { Notification, PlannedNotification } from '../domain/payout.ts';

export class NotificationTable {
  readonly #statements;

  constructor(database: DatabaseSync) {
    this.#statements = {
      insert: database.prepare(
        `insert into notifications
           (event_id, payout_id, claims, occurred_at, due_at, signature, traceparent)
         values (?, ?, ?, ?, ?, ?, ?)`,
      ),
      due: database.prepare(`select * from notifications where state = 'due'`),
      deliver: database.prepare(
        `update notifications set state = 'delivered', attempts = attempts + 1 where number = ?`,
      ),
      giveUp: database.prepare(
        `update notifications set state = 'given_up', attempts = attempts + 1 where number = ?`,
      ),
      postpone: database.prepare(
        `update notifications set due_at = ?, attempts = attempts + 1 where number = ?`,
      ),
    };
  }

  plan(notification: Notification): PlannedNotification {
    const { lastInsertRowid } = this.#statements.insert.run(
      notification.eventId,
      notification.payoutId,
      notification.claims,
      notification.occurredAt,
      notification.dueAt,
      notification.signature,
      notification.traceparent ?? null,
    );
    return { ...notification, number: Number(lastInsertRowid), attempts: 0 };
  }

  /** All that wait to be sent, for whoever takes up the work of an earlier process. */
  planned(): PlannedNotification[] {
    return this.#statements.due.all().map(notificationOf);
  }

  delivered(number: number): void {
    this.#statements.deliver.run(number);
  }

  /** Without an instant of the next try, the provider has given up. */
  failed(number: number, nextTryAt: Instant | undefined): void {
    if (nextTryAt === undefined) this.#statements.giveUp.run(number);
    else this.#statements.postpone.run(nextTryAt, number);
  }
}

function notificationOf(row: Readonly<Record<string, SQLOutputValue>>): PlannedNotification {
  const traceparent = row['traceparent'];
  return {
    number: Number(row['number']),
    eventId: String(row['event_id']),
    payoutId: String(row['payout_id']),
    claims: String(row['claims']) as Notification['claims'],
    occurredAt: instantOf(Number(row['occurred_at'])),
    dueAt: instantOf(Number(row['due_at'])),
    signature: String(row['signature']) as SignatureKind,
    attempts: Number(row['attempts']),
    ...(typeof traceparent === 'string' && { traceparent }),
  };
}
