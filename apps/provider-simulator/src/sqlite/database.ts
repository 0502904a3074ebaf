// The provider's own truth, in one SQLite file. WAL with synchronous=NORMAL survives a SIGKILL of
// the process at any instruction; only a power cut can lose the last commits, and the simulator
// does not simulate those.
import { CodedError } from '@compasso/kernel';
import { DatabaseSync } from 'node:sqlite';

const schemaVersion = 1;

// A late checkpoint writes a page that changed often once; the cache (in KiB) holds what a bench
// touches.
const settings = `
pragma journal_mode = wal; pragma synchronous = normal;
pragma wal_autocheckpoint = 8000; pragma cache_size = -32768;
`;

// `orders` has no unique payout_id on purpose: that at most one order per payout can pay is what
// others check here, so the table must be able to show that it is not so. The look-up in the same
// transaction keeps it true. Rows are numbered in order of arrival: keys drawn at random would
// touch a page each, and a commit costs by page. What is due is read once, at the start: it needs
// no index.
const schema = `
create table kept_out (
  payout_id text primary key,
  fault text not null,
  calls integer not null check (calls > 0)
) strict, without rowid;

create table orders (
  number integer primary key,
  order_id text not null,
  payout_id text not null,
  amount_cents integer not null check (amount_cents between 1 and 999999999999),
  key_type text not null,
  key_masked text not null,
  end_to_end_id text not null,
  request_digest text not null,
  fault text not null,
  traceparent text,
  created_at integer not null,
  updated_at integer not null,
  visible_from integer not null,
  revision integer not null,
  status text not null check (status in ('processing', 'paid', 'failed')),
  failure_code text,
  due_at integer,
  due_status text check (due_status in ('paid', 'failed')),
  due_failure_code text,
  check ((status = 'failed') = (failure_code is not null)),
  check ((due_at is null) = (due_status is null))
) strict;
create index orders_by_payout on orders (payout_id);
create index orders_by_update on orders (updated_at, revision);

create table calls (
  sequence integer primary key,
  at integer not null,
  method text not null,
  path text not null,
  payout_id text,
  body_digest text,
  answer text not null
) strict;

create table notifications (
  number integer primary key,
  event_id text not null,
  payout_id text not null,
  claims text not null,
  occurred_at integer not null,
  due_at integer not null,
  signature text not null,
  traceparent text,
  attempts integer not null default 0,
  state text not null default 'due' check (state in ('due', 'delivered', 'given_up'))
) strict;

create table settings (name text primary key, value text not null) strict, without rowid;

-- Orders that can still pay or have paid, per payout: 1 wherever money may have left, never more.
create view live_orders as
  select payout_id, count(*) as orders, sum(amount_cents) as amount_cents
  from orders where status in ('processing', 'paid') group by payout_id;
`;

/** @throws CodedError `simulator_store_version` when the file was written by another version. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(settings);
  const found = Number(database.prepare('pragma user_version').get()?.['user_version']);
  if (found === 0) {
    database.exec(`begin immediate; ${schema} pragma user_version = ${schemaVersion}; commit`);
  } else if (found !== schemaVersion) {
    database.close();
    throw new CodedError(
      'simulator_store_version',
      'The store was written by another version; remove it.',
      {
        found,
        expected: schemaVersion,
      },
    );
  }
  return database;
}
