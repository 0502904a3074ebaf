// Double entry: every movement is an entry whose postings sum to zero, and a balance changes in no
// other way. System books have no balance row; they are posted to and summed, so that not every
// transfer meets at one row.
import { type Cents, invariant, negateCents, sumCents, zeroCents } from '@compasso/kernel';

export const customerBooks = ['customer_available', 'customer_held'] as const;
export const systemBooks = ['pix_clearing', 'suspense', 'fees', 'funding'] as const;
export const books = [...customerBooks, ...systemBooks] as const;
export type Book = (typeof books)[number];

export const entryKinds = ['hold', 'settle', 'release', 'deposit'] as const;
export type EntryKind = (typeof entryKinds)[number];

export interface Posting {
  readonly book: Book;
  readonly accountId: string | null;
  readonly amount: Cents;
}

export interface JournalEntry {
  readonly kind: EntryKind;
  /** The customer account that the entry is about. */
  readonly accountId: string;
  readonly transferId: string | null;
  readonly depositId: string | null;
  readonly postings: readonly Posting[];
}

/**
 * What a hold set aside: the fee is a line of its own, so that it is undone with the hold and never
 * part of the Pix.
 */
export interface HeldMoney {
  readonly transferId: string;
  readonly accountId: string;
  readonly amount: Cents;
  readonly fee: Cents;
}

export const holdEntry = (money: HeldMoney): JournalEntry =>
  transferEntry('hold', money, [
    ...move(money.amount, available(money), held(money)),
    ...move(money.fee, available(money), held(money)),
  ]);

export const settleEntry = (money: HeldMoney): JournalEntry =>
  transferEntry('settle', money, [
    ...move(money.amount, held(money), system('pix_clearing')),
    ...move(money.fee, held(money), system('fees')),
  ]);

export const releaseEntry = (money: HeldMoney): JournalEntry =>
  transferEntry('release', money, [
    ...move(money.amount, held(money), available(money)),
    ...move(money.fee, held(money), available(money)),
  ]);

export const depositEntry = (deposit: {
  readonly depositId: string;
  readonly accountId: string;
  readonly amount: Cents;
}): JournalEntry =>
  balanced({
    kind: 'deposit',
    accountId: deposit.accountId,
    transferId: null,
    depositId: deposit.depositId,
    postings: move(deposit.amount, system('funding'), available(deposit)),
  });

/** What an entry does to one book of the account it is about. */
export const changeOf = (entry: JournalEntry, book: (typeof customerBooks)[number]): Cents =>
  sumCents(
    entry.postings
      .filter((posting) => posting.book === book && posting.accountId === entry.accountId)
      .map((posting) => posting.amount),
  );

type Place = Pick<Posting, 'book' | 'accountId'>;
const available = ({ accountId }: { readonly accountId: string }): Place => ({
  book: 'customer_available',
  accountId,
});
const held = ({ accountId }: { readonly accountId: string }): Place => ({
  book: 'customer_held',
  accountId,
});
const system = (book: (typeof systemBooks)[number]): Place => ({ book, accountId: null });

/** Nothing is posted for nothing: a transfer without a fee has no fee lines. */
const move = (amount: Cents, from: Place, to: Place): readonly Posting[] =>
  amount === zeroCents
    ? []
    : [
        { ...from, amount: negateCents(amount) },
        { ...to, amount },
      ];

const transferEntry = (
  kind: Exclude<EntryKind, 'deposit'>,
  money: HeldMoney,
  postings: readonly Posting[],
): JournalEntry =>
  balanced({
    kind,
    accountId: money.accountId,
    transferId: money.transferId,
    depositId: null,
    postings,
  });

function balanced(entry: JournalEntry): JournalEntry {
  const sum = sumCents(entry.postings.map((posting) => posting.amount));
  invariant(sum === zeroCents, 'postings sum to zero', { kind: entry.kind });
  invariant(entry.postings.length > 0, 'an entry moves something', { kind: entry.kind });
  return entry;
}
