// The tables of the messaging guarantees, for every service's own database.
import { appendOnlyState, sqlMigration } from '@compasso/postgres';

const tables = `
create table position (
  group_name text not null,
  topic text not null,
  partition integer not null constraint partition_not_negative check (partition >= 0),
  next_offset bigint not null constraint next_offset_not_negative check (next_offset >= 0),
  last_id uuid,
  primary key (group_name, topic, partition)
) with (fillfactor = 50);

create table inbox (
  group_name text not null,
  source text not null,
  event_id uuid not null,
  digest text not null,
  verdict text not null constraint verdict_known check (verdict in ('applied', 'ignored', 'dead', 'parked')),
  received_at timestamptz not null,
  -- what differs first, and grows, comes first: two texts that are nearly always equal would be compared at every step
  primary key (event_id, group_name, source)
);

create table event_log (
  recorded_on date not null,
  event_id uuid not null,
  topic text not null,
  record_key text not null,
  type text not null,
  source text not null,
  subject text not null,
  sequence integer not null constraint sequence_positive check (sequence > 0),
  causation_id uuid,
  traceparent text,
  occurred_at timestamptz not null,
  data text not null constraint data_fits check (octet_length(data) <= 65536),
  primary key (recorded_on, event_id)
) partition by range (recorded_on);
create table event_log_default partition of event_log default;
create index event_log_subject on event_log (subject);

create table outbox (
  position bigint generated always as identity (cache 1) primary key,
  recorded_on date not null,
  event_id uuid not null
);

create table blocked (
  group_name text not null,
  topic text not null,
  subject text not null,
  case_id uuid not null,
  since timestamptz not null,
  primary key (group_name, topic, subject)
);

create table parked (
  group_name text not null,
  topic text not null,
  partition integer not null,
  "offset" bigint not null,
  subject text not null,
  primary key (group_name, topic, partition, "offset"),
  constraint parked_behind_a_blocked_subject foreign key (group_name, topic, subject)
    references blocked (group_name, topic, subject)
);
create index parked_subject on parked (group_name, topic, subject);

create table dead_letter (
  group_name text not null,
  topic text not null,
  partition integer not null,
  "offset" bigint not null,
  state text not null constraint dead_letter_state_known check (state in ('open', 'parked', 'replayed', 'discarded')),
  reason text not null,
  case_id uuid not null,
  subject text,
  record_key bytea,
  value bytea,
  headers text not null,
  broker_at timestamptz not null,
  set_aside_at timestamptz not null,
  primary key (group_name, topic, partition, "offset")
);
create index dead_letter_waiting on dead_letter (set_aside_at) where state in ('open', 'parked');

create table stop (
  group_name text not null,
  topic text not null,
  partition integer not null,
  "offset" bigint not null,
  count integer not null constraint stop_count_positive check (count > 0),
  primary key (group_name, topic, partition, "offset")
);
`;

/** Attach `refuse_change` to a table to make it append-only, also for the service's own mistakes. */
const appendOnlyFunction = `
create function refuse_change() returns trigger language plpgsql as $body$
begin
  raise exception 'rows of % are never changed', tg_table_name using errcode = '${appendOnlyState}';
end
$body$;
create trigger event_log_append_only before update or delete on event_log
  for each row execute function refuse_change();
`;

/** Creates the partition of a day, and is called for the days ahead; what it misses lands in the default partition. */
const dayPartitions = `
create function ensure_event_log_day(day date) returns void language plpgsql as $body$
declare
  name text := 'event_log_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(name) is null then
    execute format('create table %I partition of event_log for values from (%L) to (%L)', name, day, day + 1);
  end if;
exception when duplicate_table or check_violation then
  -- another replica was faster, or the default partition already holds rows of that day
  return;
end
$body$;
select ensure_event_log_day(((clock_timestamp() at time zone 'UTC')::date + n)) from generate_series(0, 7) as n;
`;

/**
 * Attaching takes a weaker lock on the log than creating a partition in place, and one by one keeps the queue behind it
 * short. Old days go only when nothing of them waits in the outbox: the lock on the log is taken before that is looked at,
 * so that nobody can put an old event there in between.
 */
const keepingDays = `
create or replace function ensure_event_log_day(day date) returns void language plpgsql as $body$
declare
  name text := 'event_log_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(name) is not null then
    return;
  end if;
  execute format('create table %I (like event_log including defaults including constraints)', name);
  execute format('alter table event_log attach partition %I for values from (%L) to (%L)', name, day, day + 1);
exception when duplicate_table or unique_violation or check_violation then
  -- another replica was faster, or the default partition already holds rows of that day
  return;
end
$body$;

create function event_log_days() returns table (name text, day date) language sql stable as $body$
  select c.relname::text, to_date(substr(c.relname, 11), 'YYYYMMDD')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'event_log'::regclass and c.relname ~ '^event_log_[0-9]{8}$'
$body$;

create function keep_event_log(today date, days_ahead integer, days_kept integer)
returns table (dropped integer, unpublished integer, stray boolean) language plpgsql as $body$
declare
  partition_name text;
  partition_day date;
  cutoff date := today - days_kept;
begin
  dropped := 0;
  unpublished := 0;
  perform ensure_event_log_day(today + n) from generate_series(0, days_ahead) as n;
  for partition_name, partition_day in select d.name, d.day from event_log_days() d where d.day < cutoff order by d.day loop
    perform set_config('lock_timeout', '200ms', true);
    lock table only event_log in access exclusive mode;
    if exists (select 1 from outbox where recorded_on = partition_day) then
      unpublished := unpublished + 1;
    else
      execute format('drop table %I', partition_name);
      dropped := dropped + 1;
    end if;
  end loop;
  stray := exists (select 1 from event_log_default);
  if stray and not exists (select 1 from event_log_default where recorded_on >= cutoff)
    and not exists (select 1 from outbox where recorded_on < cutoff) then
    lock table only event_log in access exclusive mode;
    truncate event_log_default;
  end if;
  return next;
end
$body$;
`;

export const messagingMigrations = [
  sqlMigration(1764500000001, 'MessagingTables', tables),
  sqlMigration(1764500000002, 'AppendOnlyEventLog', appendOnlyFunction),
  sqlMigration(1764500000003, 'EventLogDays', dayPartitions),
  sqlMigration(1764500000004, 'KeepingEventLogDays', keepingDays),
];
