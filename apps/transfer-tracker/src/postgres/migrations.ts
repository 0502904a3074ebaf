// The tracker's schema. Constraint names are those of tables.ts: what the code asserts, the database refuses.
import { partitionCount } from '@compasso/contracts';
import { messagingMigrations } from '@compasso/messaging';
import { sqlMigration } from '@compasso/postgres';

const events = `
create table event (
  source text not null,
  event_id uuid not null,
  type text not null,
  subject text not null,
  sequence integer,
  causation_id uuid,
  traceparent text,
  occurred_at timestamptz not null,
  broker_at timestamptz not null,
  topic text not null,
  partition integer not null,
  "offset" bigint not null,
  data text not null,
  primary key (source, event_id)
);
create index event_subject on event (subject);
create trigger event_append_only before update or delete on event
  for each row execute function refuse_change();
`;

/** Rows grow with every event and are written some five times: room on their page spares the indexes. */
const views = `
create table transfer_view (
  projection integer not null,
  transfer_id uuid not null,
  account_id uuid,
  amount_cents bigint,
  key_type text,
  key_masked text,
  client_reference text,
  metadata text,
  requested_by text,
  ledger_word text,
  ledger_sequence integer,
  gateway_word text,
  gateway_sequence integer,
  state text not null,
  money text not null,
  certainty text not null,
  attention text not null,
  reason text,
  due_at timestamptz,
  due_step text,
  started_at timestamptz not null,
  ended_at timestamptz,
  version integer not null constraint version_positive check (version > 0),
  flags text not null,
  traceparent text,
  saga text not null,
  judged_as_of timestamptz,
  look_at timestamptz,
  status_sequence integer not null
    constraint status_sequence_not_negative check (status_sequence >= 0),
  untold boolean not null,
  updated_at timestamptz not null,
  primary key (projection, transfer_id),
  constraint state_known check (state in ('started', 'funds_reserved', 'awaiting_clearance', 'submitted',
    'completed', 'compensating', 'compensated', 'refused', 'needs_review')),
  constraint money_known check (money in ('none', 'held', 'settled', 'released', 'conflicted')),
  constraint certainty_known check (certainty in ('confirmed', 'in_progress', 'unknown')),
  constraint attention_known check (attention in ('none', 'late', 'stuck', 'review', 'conflict')),
  constraint ended_when_terminal
    check ((ended_at is not null) = (state in ('completed', 'compensated', 'refused')))
) with (fillfactor = 30);
create index transfer_view_by_account on transfer_view (account_id, started_at, transfer_id);
create index transfer_view_by_start on transfer_view (started_at, transfer_id);
create index transfer_view_look on transfer_view (look_at) where look_at is not null;
create index transfer_view_attention on transfer_view (attention, started_at, transfer_id)
  where attention <> 'none';
`;

/** Lanes and partitions are the same numbers; both are fixed for a topic's major version. */
const bookkeeping = `
create table projection (
  name text primary key,
  current integer not null,
  building integer,
  constraint building_is_newer check (building is null or building > current)
);
insert into projection (name, current) values ('transfers', 1);
create table lane (
  lane integer primary key,
  current integer not null,
  building integer
) with (fillfactor = 50);
insert into lane (lane, current) select n, 1 from generate_series(0, ${partitionCount - 1}) as n;
create table reading (
  topic text not null,
  partition integer not null,
  as_of timestamptz not null,
  primary key (topic, partition)
) with (fillfactor = 50);
`;

const cases = `
create table review_case (
  case_id uuid primary key,
  kind text not null,
  source text not null,
  reason text,
  transfer_id uuid,
  account_id uuid,
  state text not null constraint case_state_known check (state in ('open', 'closed')),
  opened_at timestamptz,
  closed_at timestamptz,
  closed_by text,
  constraint closed_when_closed check ((state = 'closed') = (closed_at is not null)),
  constraint opened_or_closed check (opened_at is not null or closed_at is not null)
);
create index review_case_transfer on review_case (transfer_id);
create index review_case_open on review_case (opened_at, case_id) where state = 'open';
`;

export const trackerMigrations = [
  ...messagingMigrations,
  sqlMigration(1764500000101, 'TrackerEvents', events),
  sqlMigration(1764500000102, 'TransferViews', views),
  sqlMigration(1764500000103, 'ProjectionsAndLanes', bookkeeping),
  sqlMigration(1764500000104, 'ReviewCases', cases),
];
