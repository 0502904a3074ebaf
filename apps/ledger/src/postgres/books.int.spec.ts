// Each rule of the books: one thing corrupted behind the service's back, and exactly that rule sees
// it.
import { payoutEvents } from '@compasso/contracts';
import { type PrivateDatabase } from '@compasso/testing';
import { createLogger } from '@compasso/observability';
import { uuidv7 } from 'uuidv7';
import { type LedgerHttp, ledgerHttp, transferTo } from '../http/ledger-http.story.ts';
import { watchBooks } from '../jobs/watch-books.ts';
import { confirmed, rejected } from '../kafka/ledger-world.story.ts';
import { partitionBatch } from '../kafka/batches.story.ts';
import { BooksQueries } from './books-queries.ts';
import { booksRuleNames } from './books-rules.ts';

let ledger: LedgerHttp;
let books: BooksQueries;
beforeAll(async () => {
  ledger = await ledgerHttp({ policy: { fee: 35n as never, sendWithinMs: 900_000 } });
  books = new BooksQueries(ledger.database.reads);
  const accountId = await ledger.openAccount();
  const ids = [uuidv7(), uuidv7(), uuidv7(), uuidv7()] as const;
  for (const key of ids) await ledger.post('/v1/transfers', { key, body: transferTo(accountId) });
  const poor = await ledger.openAccount(1);
  await ledger.post('/v1/transfers', { key: uuidv7(), body: transferTo(poor) });
  const receive = partitionBatch(ledger.shell, payoutEvents.name);
  await receive(
    confirmed({ transferId: ids[0], accountId }),
    rejected({ transferId: ids[1], accountId }),
  );
});
afterAll(() => ledger.close());

/**
 * Runs as somebody who may switch triggers and constraints off, and takes everything back
 * afterwards.
 */
async function corrupted<Result>(
  database: PrivateDatabase,
  sql: string,
  look: () => Promise<Result>,
): Promise<Result> {
  const client = await database.hot.connect();
  try {
    await client.query(
      'create table kept_posting as table posting; create table kept_entry as table journal_entry',
    );
    await client.query(
      'create table kept_transfer as table transfer; create table kept_account as table account',
    );
    await client.query(
      'create table kept_deposit as table deposit; create table kept_usage as table limit_usage',
    );
    await client.query(`set session_replication_role = replica; ${sql}`);
    return await look();
  } finally {
    await client.query(restore);
    client.release();
  }
}
const restore = `
set session_replication_role = replica;
delete from posting; insert into posting select * from kept_posting;
delete from journal_entry; insert into journal_entry overriding system value select * from kept_entry;
delete from transfer; insert into transfer select * from kept_transfer;
delete from account; insert into account select * from kept_account;
delete from deposit; insert into deposit select * from kept_deposit;
delete from limit_usage; insert into limit_usage select * from kept_usage;
drop table kept_posting, kept_entry, kept_transfer, kept_account, kept_deposit, kept_usage;
set session_replication_role = origin;
`;

const brokenRules = async () => (await books.books()).violations.map(({ rule }) => rule).sort();

const of = (table: string, where: string) => `(select ctid from ${table} where ${where} limit 1)`;

describe('the books', () => {
  it('hold, with something of everything in them', async () => {
    const { violations, sumCents, counts } = await books.books();
    expect(violations).toEqual([]);
    expect(sumCents).toBe(0);
    expect(counts.transfers).toEqual({
      refused: 1,
      reserved: 0,
      authorized: 2,
      settled: 1,
      released: 1,
    });
    expect(counts.entries).toEqual({ hold: 4, settle: 1, release: 1, deposit: 2 });
  });

  const corruptions: Record<string, readonly [sql: string, alsoBroken: readonly string[]]> = {
    postings_sum_to_zero: [
      `update posting set amount_cents = amount_cents - 1 where ctid = ${of('posting', `book = 'pix_clearing'`)}`,
      ['entry_moves_amount_and_fee'],
    ],
    entry_has_postings: [
      `insert into journal_entry (entry_id, kind, transfer_id, account_id, recorded_at)
         select gen_random_uuid(), 'settle', transfer_id, account_id, now() from transfer where state = 'authorized' limit 1;
       update transfer set state = 'settled', end_to_end_id = 'E' where transfer_id in (
         select transfer_id from journal_entry group by transfer_id having count(*) = 2
       ) and state = 'authorized';
       update account a set held_cents = held_cents - 1035 where held_cents > 0`,
      ['balance_equals_postings'],
    ],
    posting_has_entry: [
      `insert into posting values (gen_random_uuid(), 1, 'fees', null, 1), (gen_random_uuid(), 1, 'fees', null, -1)`,
      ['postings_sum_to_zero'],
    ],
    balance_equals_postings: [
      `update account set available_cents = available_cents + 1 where ctid = ${of('account', 'held_cents > 0')}`,
      [],
    ],
    held_equals_open_holds: [
      `update transfer set fee_cents = fee_cents + 1 where ctid = ${of('transfer', `state = 'authorized'`)}`,
      ['entry_moves_amount_and_fee'],
    ],
    state_matches_entries: [
      `update transfer set state = 'settled', reason = null, end_to_end_id = 'E', send_before = now()
       where ctid = ${of('transfer', `state = 'released'`)}`,
      ['limit_usage_equals_holds'],
    ],
    entry_moves_amount_and_fee: [
      `update transfer set fee_cents = fee_cents + 1 where ctid = ${of('transfer', `state = 'settled'`)}`,
      [],
    ],
    entry_in_the_account_of_its_cause: [
      `update journal_entry set account_id = gen_random_uuid()
       where ctid = ${of('journal_entry', `kind = 'settle'`)}`,
      [],
    ],
    deposit_equals_its_entry: [
      `update deposit set amount_cents = amount_cents + 1 where ctid = ${of('deposit', 'true')}`,
      [],
    ],
    limit_usage_equals_holds: [
      `update limit_usage set used_cents = used_cents + 1 where ctid = ${of('limit_usage', 'true')}`,
      [],
    ],
    hold_ends_at_most_once: [
      `drop index journal_entry_transfer_ends_once;
       insert into journal_entry (entry_id, kind, transfer_id, account_id, recorded_at)
         select gen_random_uuid(), 'release', transfer_id, account_id, now() from transfer where state = 'settled'`,
      ['entry_has_postings', 'state_matches_entries'],
    ],
    balance_not_negative: [
      `alter table account drop constraint account_available_not_negative;
       update account set available_cents = -1 where ctid = ${of('account', 'held_cents > 0')}`,
      ['balance_equals_postings'],
    ],
  };

  // The last two take constraints away for good, so they come last.
  it.each(Object.entries(corruptions))('see %s broken', async (rule, [sql, alsoBroken]) => {
    const broken = await corrupted(ledger.database, sql, brokenRules);
    expect(broken).toEqual([rule, ...alsoBroken].sort());
    expect(await brokenRules()).toEqual([]);
  });

  it('have a corruption for each rule', () => {
    expect(Object.keys(corruptions).sort()).toEqual([...booksRuleNames].sort());
  });

  it('are watched: what is broken is logged', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ service: 'ledger', replica: '1', level: 'error', destination });
    const watch = watchBooks({ queries: books, logger });
    const [sql] = corruptions['limit_usage_equals_holds']!;
    await corrupted(ledger.database, sql, () => watch.look());
    await watch.stop();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('limit_usage_equals_holds');
  });
});
