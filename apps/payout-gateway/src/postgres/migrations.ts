// The schema of the gateway's database. Constraint names are those of tables.ts; the triggers say what no check can.
import { messagingMigrations } from '@compasso/messaging';
import { sqlMigration } from '@compasso/postgres';

const tables = `
create table instruction (
  transfer_id uuid primary key,
  account_id uuid not null,
  amount_cents bigint not null constraint instruction_amount_positive check (amount_cents > 0),
  provider text not null,
  provider_order_id text not null,
  key_type text not null,
  key_masked text not null,
  sealed text not null,
  client_reference text,
  send_before timestamptz not null,
  authorized_event_id uuid not null,
  traceparent text,
  created_at timestamptz not null,
  constraint instruction_provider_order unique (provider, provider_order_id)
);

create table payout (
  transfer_id uuid primary key,
  state text not null constraint payout_state_known
    check (state in ('queued', 'sending', 'submitted', 'unknown', 'review', 'confirmed', 'rejected')),
  attempt integer not null,
  first_attempt_at timestamptz,
  review_at timestamptz not null,
  checks integer not null,
  checks_in_row integer not null,
  last_answer text,
  question text not null constraint payout_question_known check (question in ('none', 'under_way', 'hinted')),
  due_at timestamptz,
  review_case_id uuid,
  reviewed_from text,
  end_to_end_id text,
  outcome_code text,
  evidence text,
  sequence integer not null,
  updated_at timestamptz not null,
  constraint payout_due_unless_ended check ((state in ('confirmed', 'rejected')) = (due_at is null)),
  constraint payout_confirmed_with_proof check (
    (state = 'confirmed') = (end_to_end_id is not null) and (state <> 'confirmed' or evidence is not null)),
  constraint payout_rejected_with_proof check (
    (state = 'rejected') = (outcome_code is not null) and (state <> 'rejected' or evidence is not null)),
  constraint payout_review_has_case check (
    (review_case_id is null) = (reviewed_from is null) and (state <> 'review' or review_case_id is not null)),
  constraint payout_sends_an_attempt check (state <> 'sending' or attempt > 0)
) with (fillfactor = 70);
create index payout_due on payout (state, due_at) where due_at is not null;
create index payout_known_order on payout (updated_at) where state = 'confirmed';
-- Partial: nearly no payout has a case, and every step of one writes all indexes that hold it.
create unique index payout_review_case on payout (review_case_id) where review_case_id is not null;

create table attempt (
  transfer_id uuid not null,
  attempt integer not null constraint attempt_numbered check (attempt > 0),
  state text not null constraint attempt_state_known check (state in ('open', 'closed')),
  outcome text constraint attempt_outcome_known
    check (outcome in ('accepted', 'rejected', 'not_sent', 'already_exists', 'unknown')),
  cause text,
  code text,
  started_at timestamptz not null,
  send_until timestamptz not null,
  finished_at timestamptz,
  request_digest text not null,
  primary key (transfer_id, attempt),
  constraint attempt_closed_with_outcome check (
    (state = 'closed') = (outcome is not null) and (outcome is null) = (finished_at is null))
) with (fillfactor = 70);
create unique index attempt_one_open on attempt (transfer_id) where state = 'open';

create table query_answer (
  transfer_id uuid not null,
  number integer not null constraint query_answer_numbered check (number > 0),
  answer text not null,
  code text,
  asked_at timestamptz not null,
  answered_at timestamptz not null,
  primary key (transfer_id, number)
);

create table webhook_delivery (
  provider text not null,
  delivery_id text not null,
  provider_order_id text,
  claimed_status text,
  verdict text not null constraint webhook_verdict_known check (
    verdict in ('hint', 'unknown_payout', 'unreadable', 'signature_invalid', 'timestamp_out_of_range')),
  received_at timestamptz not null,
  primary key (provider, delivery_id)
);
create index webhook_delivery_order on webhook_delivery (provider, provider_order_id);
`;

const triggers = `
create trigger query_answer_append_only before update or delete on query_answer
  for each row execute function refuse_change();
create trigger webhook_delivery_append_only before update or delete on webhook_delivery
  for each row execute function refuse_change();
create trigger payout_kept before delete on payout for each row execute function refuse_change();
create trigger attempt_kept before delete on attempt for each row execute function refuse_change();

create trigger instruction_append_only before update or delete on instruction
  for each row execute function refuse_change();

-- An ended payout stays as it ended. What is allowed is decided by the condition: the function only says no.
create function refuse_payout_change() returns trigger language plpgsql as $body$
begin
  raise exception 'an ended payout stays as it ended'
    using errcode = '23514', constraint = 'payout_ended_for_good', table = 'payout';
end
$body$;
create trigger payout_change before update on payout for each row
  when (old.state in ('confirmed', 'rejected') and (old.state, old.end_to_end_id, old.outcome_code, old.evidence)
    is distinct from (new.state, new.end_to_end_id, new.outcome_code, new.evidence))
  execute function refuse_payout_change();
`;

const cancellation = `
alter table payout
  add column cancelled_at timestamptz,
  drop constraint payout_state_known,
  add constraint payout_state_known check (state in
    ('queued', 'cancelled', 'sending', 'submitted', 'unknown', 'review', 'confirmed', 'rejected')),
  add constraint payout_cancelled_is_not_sent check (
    (state <> 'cancelled' or cancelled_at is not null)
    and (state not in ('queued', 'sending') or cancelled_at is null));
`;

export const gatewayMigrations = [
  ...messagingMigrations,
  sqlMigration(1764510000001, 'PayoutTables', tables),
  sqlMigration(1764510000002, 'PayoutRules', triggers),
  sqlMigration(1764510000003, 'PayoutCancellation', cancellation),
];
