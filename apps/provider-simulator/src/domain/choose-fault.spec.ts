import { centsOf } from '@compasso/kernel';
import { chooseFault, magicAmount } from './choose-fault.ts';
import { faultCatalogue, faultNames } from './fault-catalogue.ts';

const asked = {
  payoutId: '01980000-0000-7000-8000-000080000000',
  amountCents: centsOf(15_000),
  keyType: 'EMAIL',
  key: 'maria@exemplo.com.br',
} as const;

describe('the choice of a fault', () => {
  it('is none for an ordinary payout', () => {
    expect(chooseFault(asked, [])).toBe('none');
  });

  it.each([0, 500, 990, 999, 995, 100, 600])('leaves alone amounts that end in %i', (ending) => {
    expect(chooseFault({ ...asked, amountCents: centsOf(12_000 + ending) }, [])).toBe('none');
  });

  it.each(faultNames)('%s by the ending of the amount, by the key, and by a rule', (fault) => {
    const { ending } = faultCatalogue[fault];
    expect(chooseFault({ ...asked, amountCents: centsOf(ending) }, [])).toBe(fault);
    expect(chooseFault({ ...asked, amountCents: centsOf(70_000 + ending) }, [])).toBe(fault);
    expect(chooseFault({ ...asked, key: `${fault}@faults.example` }, [])).toBe(fault);
    expect(chooseFault(asked, [{ fault }])).toBe(fault);
  });

  it('has one ending per fault', () => {
    expect(new Set(faultNames.map((name) => faultCatalogue[name].ending)).size).toBe(
      faultNames.length,
    );
  });

  it('prefers a rule to a key, and a key to an amount', () => {
    const both = { ...asked, key: 'webhook-lost@faults.example', amountCents: centsOf(653) };
    expect(chooseFault(both, [])).toBe('webhook-lost');
    expect(chooseFault(both, [{ fault: 'none' }])).toBe('none');
  });

  it('ignores a key that only looks like a magic one', () => {
    expect(chooseFault({ ...asked, key: 'constructor@faults.example' }, [])).toBe('none');
    expect(chooseFault({ ...asked, key: 'webhook-lost@faults.example.com' }, [])).toBe('none');
  });

  it('takes the first rule that matches', () => {
    const rules = [
      { fault: 'webhook-lost', payoutIds: ['01980000-0000-7000-8000-0000000000ff'] },
      { fault: 'webhook-late', payoutIds: [asked.payoutId] },
      { fault: 'deadline-review' },
    ] as const;
    expect(chooseFault(asked, rules)).toBe('webhook-late');
  });

  it('draws a share from the payout id alone', () => {
    const rule = (share: number) => [{ fault: 'slow-answer', share }] as const;
    expect(chooseFault(asked, rule(0.5))).toBe('none');
    expect(chooseFault(asked, rule(0.51))).toBe('slow-answer');
  });
});

describe('a magic amount', () => {
  it('is the smallest one that is not below what is asked for', () => {
    expect(magicAmount('rejected-ac03', centsOf(10_000))).toBe(10_641n);
    expect(magicAmount('rejected-ac03', centsOf(10_641))).toBe(10_641n);
    expect(magicAmount('rejected-ac03', centsOf(10_642))).toBe(11_641n);
  });
});
