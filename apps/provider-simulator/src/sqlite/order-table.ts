import { type Cents, centsOf, type Instant, instantOf, invariant } from '@compasso/kernel';
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { isFaultName } from '../domain/fault-catalogue.ts';
import type { Ending } from '../domain/fault.ts';
import type { Order, PayeeKeyType, Payout, PayoutEvent, Progress } from '../domain/payout.ts';
import { evolve, unseenPayout } from '../domain/payout.ts';
import { RecentOrders } from './recent-orders.ts';

/** Where a page of the list ended. */
export interface ListPosition {
  readonly updatedAt: Instant;
  readonly revision: number;
}

export interface ListedOrder {
  readonly order: Order;
  readonly position: ListPosition;
}

export interface ListQuery {
  readonly from: Instant;
  readonly to: Instant;
  readonly after?: ListPosition;
  /** Orders hidden at this instant are left out. Missing: all are shown. */
  readonly visibleAt?: Instant;
  readonly limit: number;
}

export interface LiveOrders {
  readonly payoutId: string;
  readonly orders: number;
  readonly amountCents: Cents;
}

type Row = Readonly<Record<string, SQLOutputValue>>;

export class OrderTable {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #recent = new RecentOrders();
  /** While nobody was kept out, no call has to look. */
  #anyKeptOut: boolean;
  /** Raised by each write; orders two writes of the same millisecond. */
  #revision: number;

  constructor(database: DatabaseSync) {
    this.#statements = prepare(database);
    this.#revision = Number(
      database.prepare('select max(revision) as last from orders').get()?.['last'] ?? 0,
    );
    this.#anyKeptOut = database.prepare('select 1 from kept_out limit 1').get() !== undefined;
  }

  payout(payoutId: string): Payout {
    const recent = this.#recent.of(payoutId);
    if (recent) return { situation: 'ordered', order: recent };
    const order = this.#statements.byPayout.get(payoutId);
    if (order) return { situation: 'ordered', order: orderOf(order) };
    if (!this.#anyKeptOut) return unseenPayout;
    const keptOut = this.#statements.keptOut.get(payoutId);
    if (!keptOut) return unseenPayout;
    return {
      situation: 'kept_out',
      fault: faultOf(keptOut),
      callsKeptOut: Number(keptOut['calls']),
    };
  }

  ordersOf(payoutId: string): Order[] {
    return this.#statements.byPayout.all(payoutId).map(orderOf);
  }

  /** Keeps what happened to the payout; notifications have a table of their own. */
  apply(payoutId: string, event: Exclude<PayoutEvent, { type: 'NotificationPlanned' }>): void {
    this.#revision += 1;
    const { keepOut, accept, end } = this.#statements;
    switch (event.type) {
      case 'CallKeptOut':
        this.#anyKeptOut = true;
        return void keepOut.run(payoutId, event.fault);
      case 'OrderAccepted':
        accept.run(...rowOf(event.order, this.#revision));
        break;
      case 'OrderPaid':
        ended(end.run('paid', null, event.at, this.#revision, payoutId, event.orderId));
        break;
      case 'OrderFailed':
        ended(end.run('failed', event.code, event.at, this.#revision, payoutId, event.orderId));
        break;
    }
    this.#remember(payoutId, event);
  }

  /** Forgets what was kept in memory: it may have been undone in the file. */
  forget(): void {
    this.#recent.forgetAll();
  }

  /** All that will end by themselves, for whoever takes up the work of an earlier process. */
  due(): Order[] {
    return this.#statements.due.all().map(orderOf);
  }

  list({ from, to, after, visibleAt, limit }: ListQuery): ListedOrder[] {
    const start = after ?? { updatedAt: from, revision: 0 };
    const rows = this.#statements.list.all(
      start.updatedAt,
      start.revision,
      to,
      visibleAt ?? Number.MAX_SAFE_INTEGER,
      limit,
    );
    return rows.map((row) => {
      const order = orderOf(row);
      return { order, position: { updatedAt: order.updatedAt, revision: Number(row['revision']) } };
    });
  }

  live(afterPayoutId: string, limit: number): LiveOrders[] {
    return this.#statements.live.all(afterPayoutId, limit).map((row) => ({
      payoutId: text(row, 'payout_id'),
      orders: Number(row['orders']),
      amountCents: centsOf(Number(row['amount_cents'])),
    }));
  }

  #remember(payoutId: string, event: OrderEvent): void {
    const before = this.#recent.of(payoutId);
    const payout = before ? ({ situation: 'ordered', order: before } as const) : unseenPayout;
    const after = evolve(payout, event);
    // Where there are two orders of one payout, it is the file that must show both.
    const isOnlyOne = event.type === 'OrderAccepted' ? !before : before?.orderId === event.orderId;
    if (after.situation === 'ordered' && isOnlyOne) this.#recent.keep(after.order);
    else this.#recent.forget(payoutId);
  }
}

type OrderEvent = Exclude<PayoutEvent, { type: 'NotificationPlanned' | 'CallKeptOut' }>;

function prepare(database: DatabaseSync) {
  return {
    byPayout: database.prepare('select * from orders where payout_id = ? order by number'),
    keptOut: database.prepare('select fault, calls from kept_out where payout_id = ?'),
    keepOut: database.prepare(
      `insert into kept_out (payout_id, fault, calls) values (?, ?, 1)
       on conflict (payout_id) do update set calls = calls + 1`,
    ),
    accept: database.prepare(
      `insert into orders (order_id, payout_id, amount_cents, key_type, key_masked, end_to_end_id,
         request_digest, fault, traceparent, created_at, updated_at, visible_from, revision, status,
         due_at, due_status, due_failure_code)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'processing', ?, ?, ?)`,
    ),
    end: database.prepare(
      `update orders set status = ?, failure_code = ?, updated_at = ?, revision = ?
       where payout_id = ? and order_id = ? and status = 'processing'`,
    ),
    due: database.prepare(
      `select * from orders where status = 'processing' and due_at is not null`,
    ),
    list: database.prepare(
      `select * from orders
       where (updated_at, revision) > (?, ?) and updated_at < ? and visible_from <= ?
       order by updated_at, revision limit ?`,
    ),
    live: database.prepare(
      'select * from live_orders where payout_id > ? order by payout_id limit ?',
    ),
  } satisfies Record<string, StatementSync>;
}

const ended = ({ changes }: { readonly changes: number | bigint }): void =>
  invariant(Number(changes) === 1, 'an order ends once', { changes: Number(changes) });

function rowOf(order: Order, revision: number) {
  const due = order.progress.status === 'processing' ? order.progress.due : undefined;
  return [
    order.orderId,
    order.payoutId,
    order.amountCents,
    order.keyType,
    order.keyMasked,
    order.endToEndId,
    order.requestDigest,
    order.fault,
    order.traceparent ?? null,
    order.createdAt,
    order.updatedAt,
    order.visibleFrom,
    revision,
    due?.at ?? null,
    due?.ending.status ?? null,
    due?.ending.status === 'failed' ? due.ending.code : null,
  ] as const;
}

function orderOf(row: Row): Order {
  const traceparent = row['traceparent'];
  return {
    orderId: text(row, 'order_id'),
    payoutId: text(row, 'payout_id'),
    amountCents: centsOf(Number(row['amount_cents'])),
    keyType: text(row, 'key_type') as PayeeKeyType,
    keyMasked: text(row, 'key_masked'),
    endToEndId: text(row, 'end_to_end_id'),
    requestDigest: text(row, 'request_digest'),
    fault: faultOf(row),
    createdAt: instant(row, 'created_at'),
    updatedAt: instant(row, 'updated_at'),
    visibleFrom: instant(row, 'visible_from'),
    progress: progressOf(row),
    ...(typeof traceparent === 'string' && { traceparent }),
  };
}

function progressOf(row: Row): Progress {
  if (row['status'] !== 'processing') return endingOf(row, 'status', 'failure_code');
  if (row['due_at'] === null) return { status: 'processing' };
  return {
    status: 'processing',
    due: { at: instant(row, 'due_at'), ending: endingOf(row, 'due_status', 'due_failure_code') },
  };
}

const endingOf = (row: Row, status: string, code: string): Ending =>
  row[status] === 'paid' ? { status: 'paid' } : { status: 'failed', code: text(row, code) };

const instant = (row: Row, column: string): Instant => instantOf(Number(row[column]));

function faultOf(row: Row) {
  const name = text(row, 'fault');
  invariant(isFaultName(name), 'the store names a fault that the catalogue knows', { name });
  return name;
}

function text(row: Row, column: string): string {
  const value = row[column];
  invariant(typeof value === 'string', 'a column holds text', { column });
  return value;
}
