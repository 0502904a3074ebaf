// Invariant 1: the books balance.
import { sumCents } from '@compasso/kernel';
import type { Facts } from './facts.ts';
import { groupBy, type Judgement, judgement } from './judgement.ts';

export function judgeBooks({ accounts, entries, postings }: Facts): Judgement {
  const violations: string[] = [];
  const byEntry = groupBy(postings, ({ entryId }) => entryId);
  for (const { entryId, kind } of entries) {
    const own = byEntry.get(entryId) ?? [];
    const sum = sumCents(own.map(({ amountCents }) => amountCents));
    if (own.length < 2) violations.push(`entry ${entryId} (${kind}) has ${own.length} postings`);
    if (sum !== 0n) violations.push(`entry ${entryId} (${kind}) sums to ${sum}`);
  }
  const byBook = groupBy(postings, ({ accountId, book }) => (accountId === null ? null : `${accountId} ${book}`));
  for (const { accountId, availableCents, heldCents } of accounts) {
    const books = { customer_available: availableCents, customer_held: heldCents };
    for (const [book, balance] of Object.entries(books)) {
      const posted = sumCents((byBook.get(`${accountId} ${book}`) ?? []).map(({ amountCents }) => amountCents));
      if (posted !== balance) violations.push(`account ${accountId}: ${book} is ${balance}, its postings sum to ${posted}`);
      if (balance < 0n) violations.push(`account ${accountId}: ${book} is negative (${balance})`);
    }
  }
  return judgement(1, 'books balance', entries.length + accounts.length * 2, violations);
}
