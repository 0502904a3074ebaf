import { messagingMigrations } from '@compasso/messaging';
import { sqlMigration } from '@compasso/postgres';

// Foreign keys from transfers and postings to the account row would take share locks on the row
// that every saga of the account contends for (field failure E-10); the books' own checks find what
// such keys would have refused.
const tables = `
create table account (
  account_id uuid primary key,
  holder_kind text not null
    constraint account_holder_kind_known check (holder_kind in ('natural', 'legal')),
  state text not null
    constraint account_state_known check (state in ('open', 'blocked', 'closed')),
  available_cents bigint not null
    constraint account_available_not_negative check (available_cents >= 0),
  held_cents bigint not null
    constraint account_held_not_negative check (held_cents >= 0),
  per_transfer_limit_cents bigint not null,
  day_limit_cents bigint not null,
  night_limit_cents bigint not null,
  sequence integer not null,
  opened_at timestamptz not null,
  opened_by text not null,
  constraint account_limits_not_negative
    check (per_transfer_limit_cents >= 0 and day_limit_cents >= 0 and night_limit_cents >= 0),
  constraint account_closed_without_holds check (state <> 'closed' or held_cents = 0)
) with (fillfactor = 70);

create table transfer (
  transfer_id uuid primary key,
  account_id uuid not null,
  amount_cents bigint not null constraint transfer_amount_positive check (amount_cents > 0),
  fee_cents bigint not null constraint transfer_fee_not_negative check (fee_cents >= 0),
  state text not null constraint transfer_state_known
    check (state in ('refused', 'reserved', 'authorized', 'settled', 'released')),
  reason text,
  fingerprint text not null,
  key_type text not null constraint transfer_key_type_known
    check (key_type in ('cpf', 'cnpj', 'phone', 'email', 'evp')),
  key_masked text not null,
  sealed text,
  client_reference text,
  metadata text,
  requested_by text not null,
  limit_buckets text not null,
  send_before timestamptz,
  end_to_end_id text,
  sequence integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint transfer_reason_when_undone
    check ((state in ('refused', 'released')) = (reason is not null)),
  constraint transfer_sealed_unless_refused check ((state = 'refused') = (sealed is null)),
  constraint transfer_send_before_once_authorized
    check ((state in ('authorized', 'settled', 'released')) = (send_before is not null)),
  constraint transfer_end_to_end_id_when_settled
    check ((state = 'settled') = (end_to_end_id is not null))
) with (fillfactor = 70);
create index transfer_open on transfer (created_at) where state in ('reserved', 'authorized');

create table deposit (
  deposit_id uuid primary key,
  account_id uuid not null references account (account_id),
  amount_cents bigint not null constraint deposit_amount_positive check (amount_cents > 0),
  fingerprint text not null,
  created_at timestamptz not null
);

create table limit_usage (
  account_id uuid not null,
  bucket text not null,
  used_cents bigint not null constraint limit_usage_not_negative check (used_cents >= 0),
  primary key (account_id, bucket)
) with (fillfactor = 50);

create table journal_entry (
  entry_id uuid primary key,
  position bigint generated always as identity,
  kind text not null constraint journal_entry_kind_known
    check (kind in ('hold', 'settle', 'release', 'deposit')),
  transfer_id uuid,
  deposit_id uuid,
  account_id uuid not null,
  recorded_at timestamptz not null,
  constraint journal_entry_transfer_once_per_kind unique (transfer_id, kind),
  constraint journal_entry_cause_of_its_kind check (
    case kind
      when 'deposit' then deposit_id is not null and transfer_id is null
      else transfer_id is not null and deposit_id is null
    end
  )
);
create unique index journal_entry_transfer_ends_once on journal_entry (transfer_id)
  where kind in ('settle', 'release');
create unique index journal_entry_deposit_once on journal_entry (deposit_id) where deposit_id is not null;
create unique index journal_entry_account on journal_entry (account_id, position);

create table posting (
  entry_id uuid not null,
  line integer not null,
  book text not null constraint posting_book_known check (
    book in ('customer_available', 'customer_held', 'pix_clearing', 'suspense', 'fees', 'funding')
  ),
  account_id uuid,
  amount_cents bigint not null constraint posting_moves_something check (amount_cents <> 0),
  primary key (entry_id, line),
  constraint posting_account_in_customer_books_only
    check ((book in ('customer_available', 'customer_held')) = (account_id is not null))
);
`;

/** What was written into the journal stays, also when it is our own code that would change it. */
const appendOnly = ['journal_entry', 'posting', 'deposit']
  .map(
    (table) => `
create trigger ${table}_append_only before update or delete on ${table}
  for each row execute function refuse_change();
create trigger ${table}_never_truncated before truncate on ${table}
  for each statement execute function refuse_change();
`,
  )
  .join('');

/** An entry's postings come in one statement, so each statement can be judged by itself. */
const doubleEntry = `
create function refuse_unbalanced_postings() returns trigger language plpgsql as $body$
begin
  if exists (select from added group by entry_id having sum(amount_cents) <> 0) then
    raise exception 'postings of an entry sum to zero'
      using errcode = '23514', table = 'posting', constraint = 'posting_entry_sums_to_zero';
  end if;
  if exists (
    select from added
    where not exists (select from journal_entry e where e.entry_id = added.entry_id)
  ) then
    raise exception 'postings belong to an entry'
      using errcode = '23503', table = 'posting', constraint = 'posting_entry_exists';
  end if;
  return null;
end
$body$;
create trigger posting_balanced after insert on posting
  referencing new table as added
  for each statement execute function refuse_unbalanced_postings();
`;

// A hold that was released before the pivot never had a deadline for sending.
const cancellation = `
create table cancellation (
  transfer_id uuid not null,
  account_id uuid not null,
  requested_by text not null,
  requested_at timestamptz not null,
  primary key (transfer_id, account_id)
);
create trigger cancellation_append_only before update or delete on cancellation
  for each row execute function refuse_change();
create trigger cancellation_never_truncated before truncate on cancellation
  for each statement execute function refuse_change();
alter table transfer
  add column traceparent text,
  drop constraint transfer_send_before_once_authorized,
  add constraint transfer_send_before_once_authorized check (
    state = 'released' or (state in ('authorized', 'settled')) = (send_before is not null));
`;

const limitChanges = `
alter table account
  add column opened_limits text,
  add column raised_limits text,
  add column raised_from timestamptz,
  add constraint account_raised_from_an_instant check ((raised_limits is null) = (raised_from is null));
update account set opened_limits = json_build_object(
  'perTransferCents', per_transfer_limit_cents, 'dayCents', day_limit_cents, 'nightCents', night_limit_cents)::text;
alter table account alter column opened_limits set not null;
`;

export const ledgerMigrations = [
  ...messagingMigrations,
  sqlMigration(1764600000001, 'LedgerTables', tables),
  sqlMigration(1764600000002, 'LedgerAppendOnly', appendOnly),
  sqlMigration(1764600000003, 'LedgerDoubleEntry', doubleEntry),
  sqlMigration(1764600000004, 'LedgerCancellation', cancellation),
  sqlMigration(1764600000005, 'LedgerLimitChanges', limitChanges),
];
