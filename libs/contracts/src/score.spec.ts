import { contracts } from './catalog.ts';
import { causedByTime, reactionsOf, score, type Step } from './score.ts';
import { causesOf, faultsOf, type ScoreUnderTest } from './score-rules.ts';
import { serviceNames } from './topics.ts';

const ours: ScoreUnderTest = { steps: score, causedByTime, contracts };

const change = (event: string, changed: (step: Step) => Partial<Step>): ScoreUnderTest => ({
  ...ours,
  steps: score.map((step) => (step.event === event ? { ...step, ...changed(step) } : step)),
});
const without = (event: string): ScoreUnderTest => ({
  ...ours,
  steps: score.filter((step) => step.event !== event),
});
const deaf = (event: string, service: string): ScoreUnderTest =>
  change(event, ({ reactions }) => ({
    reactions: reactions.filter((reaction) => reaction.service !== service),
  }));

describe('the score', () => {
  it('holds', () => {
    expect(faultsOf(ours)).toEqual([]);
  });

  it('lets nothing begin by itself but what comes from outside or from a person', () => {
    const caused = new Set(causesOf(ours).flatMap(({ emits }) => emits));
    const origins = score.filter(({ event }) => !caused.has(event)).map(({ event }) => event);

    expect(origins).toEqual([
      'transfer.requested',
      'transfer.cancel-requested',
      'ledger.account-opened',
      'ledger.funds-deposited',
      'ledger.limits-changed',
      'ledger.account-blocked',
      'ledger.account-unblocked',
      'dead-letter.opened',
      'dead-letter.closed',
    ]);
  });

  it('gives the tracker every event but its own, and moves no money there', () => {
    const published = score
      .filter(({ publisher }) => publisher !== 'transfer-tracker')
      .map(({ event }) => event);
    const fromTracker = causesOf(ours).filter(({ service }) => service === 'transfer-tracker');

    expect(reactionsOf('transfer-tracker')).toEqual(published);
    expect(new Set(fromTracker.flatMap(({ emits }) => emits))).toEqual(
      new Set(['transfer.status-changed']),
    );
  });

  it('lets the ledger hear requests and the two proofs, and the gateway the ledger alone', () => {
    expect(reactionsOf('ledger')).toEqual([
      'transfer.requested',
      'transfer.cancel-requested',
      'payout.confirmed',
      'payout.rejected',
    ]);
    expect(reactionsOf('payout-gateway')).toEqual([
      'ledger.payout-authorized',
      'ledger.payout-cancel-requested',
    ]);
  });

  it('releases after the pivot only upon proof of not paid', () => {
    const causes = causesOf(ours).filter(({ emits }) => emits.includes('ledger.funds-released'));

    expect(causes.map(({ event }) => event)).toEqual(['payout.rejected']);
  });

  it('names each service at most once per event', () => {
    for (const { reactions } of score) {
      const services = reactions.map(({ service }) => service);
      expect(new Set(services).size).toBe(services.length);
      for (const service of services) expect(serviceNames).toContain(service);
    }
  });
});

describe('a score that does not hold', () => {
  const broken: readonly (readonly [string, ScoreUnderTest, string])[] = [
    [
      'a reaction that names an event without a contract',
      change('payout.confirmed', () => ({
        reactions: [{ service: 'ledger', emits: ['ledger.paid'] }],
      })),
      'ledger.paid: no contract',
    ],
    [
      'a contract that is nowhere in the score',
      without('payout.checked'),
      'payout.checked: not in the score',
    ],
    [
      'an event listed twice',
      { ...ours, steps: [...score, score[0]!] },
      'transfer.requested: listed twice',
    ],
    [
      'a publisher that its contract does not know',
      change('payout.checked', () => ({ publisher: 'ledger' })),
      'payout.checked: another publisher than in its contract',
    ],
    [
      "a service that speaks in another's name",
      change('payout.submitted', () => ({
        reactions: [{ service: 'transfer-tracker', emits: ['ledger.funds-released'] }],
      })),
      'ledger.funds-released: emitted by transfer-tracker upon payout.submitted, which does not publish it',
    ],
    [
      'a job that nobody runs',
      deaf('ledger.payout-authorized', 'payout-gateway'),
      'ledger.payout-authorized: nobody who reacts to it publishes all that time brings',
    ],
    [
      'a permission upon which nothing follows',
      { ...ours, causedByTime: [] },
      'ledger.payout-authorized: no end of the transfer can follow',
    ],
    [
      'a proof of not paid that the ledger does not hear',
      deaf('payout.rejected', 'ledger'),
      'payout.rejected: the last word of its publisher, and the ledger does not end upon it',
    ],
    [
      'a request that nobody takes',
      deaf('transfer.requested', 'ledger'),
      'transfer.requested: no end of the transfer can follow',
    ],
    [
      'a case without a close',
      change('payout.review-required', (step) => ({
        opensCase: { ...step.opensCase!, closedBy: [] },
      })),
      'payout.review-required: opens a case that nothing closes',
    ],
    [
      'a case that another service closes',
      change('payout.review-required', (step) => ({
        opensCase: { ...step.opensCase!, closedBy: ['ledger.funds-released'] },
      })),
      'ledger.funds-released: closes a case of payout-gateway',
    ],
    [
      'a compensation of something that comes later',
      change('ledger.funds-reserved', () => ({ undoes: 'ledger.funds-released' })),
      'ledger.funds-reserved: undoes ledger.funds-released, which does not come earlier',
    ],
    [
      "a compensation of another service's step",
      change('ledger.funds-released', () => ({ undoes: 'payout.submitted' })),
      'ledger.funds-released: undoes a step of another service',
    ],
    [
      'a compensation that cannot come',
      deaf('payout.rejected', 'ledger'),
      'ledger.funds-released: cannot follow ledger.funds-reserved, which it undoes',
    ],
    [
      'a deadline in a field that does not exist',
      change('payout.submitted', () => ({ nextBy: 'dueAt' })),
      'payout.submitted: has no field dueAt',
    ],
  ];

  it.each(broken)('%s is found', (_, score, fault) => {
    expect(faultsOf(score)).toContain(fault);
  });
});
