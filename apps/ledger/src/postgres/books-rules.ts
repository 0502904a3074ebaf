// The rules of the books, each as a query for what breaks it. Constraints and triggers should make
// every one of them impossible: this is the second pair of eyes, and it also sees what was changed
// behind the service's back.

/** Each query gives the ids (`subject`) of what breaks the rule. */
export const booksRules: Readonly<Record<string, string>> = {
  postings_sum_to_zero: `
    select entry_id::text as subject from posting group by entry_id having sum(amount_cents) <> 0`,

  entry_has_postings: `
    select e.entry_id::text as subject from journal_entry e
    where not exists (select from posting p where p.entry_id = e.entry_id)`,

  posting_has_entry: `
    select distinct p.entry_id::text as subject from posting p
    where not exists (select from journal_entry e where e.entry_id = p.entry_id)`,

  balance_equals_postings: `
    with posted as (
      select account_id,
        coalesce(sum(amount_cents) filter (where book = 'customer_available'), 0) as available,
        coalesce(sum(amount_cents) filter (where book = 'customer_held'), 0) as held
      from posting where account_id is not null group by account_id
    )
    select coalesce(a.account_id, p.account_id)::text as subject
    from account a full join posted p on p.account_id = a.account_id
    where a.available_cents is distinct from coalesce(p.available, 0)
      or a.held_cents is distinct from coalesce(p.held, 0)`,

  balance_not_negative: `
    select account_id::text as subject from account where available_cents < 0 or held_cents < 0`,

  held_equals_open_holds: `
    with open as (
      select account_id, sum(amount_cents + fee_cents) as held
      from transfer where state in ('reserved', 'authorized') group by account_id
    )
    select a.account_id::text as subject from account a left join open o using (account_id)
    where a.held_cents <> coalesce(o.held, 0)`,

  hold_ends_at_most_once: `
    select transfer_id::text as subject from journal_entry
    where kind in ('settle', 'release') group by transfer_id having count(*) > 1`,

  state_matches_entries: `
    with seen as (
      select transfer_id, string_agg(kind, '+' order by kind) as kinds
      from journal_entry where transfer_id is not null group by transfer_id
    )
    select coalesce(t.transfer_id, s.transfer_id)::text as subject
    from transfer t full join seen s on s.transfer_id = t.transfer_id
    where coalesce(s.kinds, '') is distinct from case t.state
      when 'refused' then ''
      when 'reserved' then 'hold'
      when 'authorized' then 'hold'
      when 'settled' then 'hold+settle'
      when 'released' then 'hold+release'
    end`,

  entry_moves_amount_and_fee: `
    with moved as (
      select e.transfer_id, e.kind,
        sum(p.amount_cents) filter (where p.amount_cents > 0) as total,
        coalesce(sum(p.amount_cents) filter (where p.book = 'fees'), 0) as fees
      from journal_entry e join posting p using (entry_id)
      where e.transfer_id is not null group by e.transfer_id, e.kind
    )
    select m.transfer_id::text as subject from moved m join transfer t using (transfer_id)
    where m.total <> t.amount_cents + t.fee_cents
      or m.fees <> case m.kind when 'settle' then t.fee_cents else 0 end`,

  entry_in_the_account_of_its_cause: `
    select e.entry_id::text as subject from journal_entry e
    left join transfer t on t.transfer_id = e.transfer_id
    left join deposit d on d.deposit_id = e.deposit_id
    where e.account_id is distinct from coalesce(t.account_id, d.account_id)
      or exists (
        select from posting p where p.entry_id = e.entry_id and p.account_id <> e.account_id
      )`,

  deposit_equals_its_entry: `
    select d.deposit_id::text as subject from deposit d
    where d.amount_cents is distinct from (
      select sum(p.amount_cents) from journal_entry e join posting p using (entry_id)
      where e.deposit_id = d.deposit_id and p.book = 'customer_available'
    )`,

  limit_usage_equals_holds: `
    with counted as (
      select t.account_id, b.bucket, sum(t.amount_cents) as used
      from transfer t
      cross join lateral jsonb_array_elements_text(t.limit_buckets::jsonb) as b(bucket)
      where t.state in ('reserved', 'authorized', 'settled')
      group by t.account_id, b.bucket
    )
    select coalesce(u.account_id, c.account_id)::text as subject
    from limit_usage u
    full join counted c on c.account_id = u.account_id and c.bucket = u.bucket
    where coalesce(u.used_cents, 0) <> coalesce(c.used, 0)`,
};

export const booksRuleNames: readonly string[] = Object.keys(booksRules);
