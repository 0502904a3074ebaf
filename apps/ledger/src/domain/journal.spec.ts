import { centsOf } from '@compasso/kernel';
import { depositEntry, holdEntry, releaseEntry, settleEntry } from './journal.ts';

const accountId = 'a';
const money = { transferId: 't', accountId, amount: centsOf(1_000), fee: centsOf(35) };
const available = (amount: number) => ({
  book: 'customer_available',
  accountId,
  amount: centsOf(amount),
});
const held = (amount: number) => ({ book: 'customer_held', accountId, amount: centsOf(amount) });
const system = (book: string, amount: number) => ({
  book,
  accountId: null,
  amount: centsOf(amount),
});

describe('the postings of each movement', () => {
  it('hold: available to held, the fee as a line of its own', () => {
    expect(holdEntry(money).postings).toEqual([
      available(-1_000),
      held(1_000),
      available(-35),
      held(35),
    ]);
  });

  it('settle: the amount to Pix clearing, the fee to fees', () => {
    expect(settleEntry(money).postings).toEqual([
      held(-1_000),
      system('pix_clearing', 1_000),
      held(-35),
      system('fees', 35),
    ]);
  });

  it('release: exactly the hold, back', () => {
    const undone = releaseEntry(money).postings.map(({ amount, ...place }) => ({
      ...place,
      amount: -amount,
    }));
    expect(undone).toHaveLength(4);
    expect(undone).toEqual(expect.arrayContaining([...holdEntry(money).postings]));
  });

  it('deposit: from funding', () => {
    const entry = depositEntry({ depositId: 'd', accountId, amount: centsOf(5) });
    expect(entry.postings).toEqual([system('funding', -5), available(5)]);
  });

  it('posts nothing for no fee', () => {
    expect(holdEntry({ ...money, fee: centsOf(0) }).postings).toHaveLength(2);
  });
});
