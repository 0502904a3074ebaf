// Whose turn it is, and until when. Deadlines come with the events; steps without one have a policy.
import { addMilliseconds, type Instant, invariant } from '@compasso/kernel';
import type { Said, Saga } from './saga.ts';
import type { GatewayWord, LedgerWord } from './words.ts';

export type StepName = 'decide' | 'authorize' | 'send' | 'find-out' | 'review' | 'settle' | 'release';
export type StepOwner = 'ledger' | 'payout-gateway' | 'operator';

const owners: Readonly<Record<StepName, StepOwner>> = {
  decide: 'ledger',
  authorize: 'ledger',
  send: 'payout-gateway',
  'find-out': 'payout-gateway',
  review: 'operator',
  settle: 'ledger',
  release: 'ledger',
};

export const ownerOf = (step: StepName): StepOwner => owners[step];

export interface NextStep {
  readonly step: StepName;
  readonly owner: StepOwner;
  /** Null where nobody promised when: a person looks. */
  readonly by: Instant | null;
}

export interface Patience {
  /** For the ledger to accept or refuse a request, or to authorise what it reserved. */
  readonly decideWithinMs: number;
  /** For the ledger to settle or release after the outcome is proven. */
  readonly bookWithinMs: number;
  /** For the gateway where no event has brought a deadline. */
  readonly findOutWithinMs: number;
  /** Beyond a deadline, before anybody is called late: events travel. */
  readonly graceMs: number;
  /** Beyond a deadline, before the saga is called stuck. */
  readonly stuckAfterMs: number;
  /** For a missing sequence to arrive. */
  readonly gapAfterMs: number;
}

const minute = 60_000;

/** @param timeScale multiplies all of it, as everywhere */
export function patience(timeScale: number): Patience {
  const scaled: Patience = {
    decideWithinMs: 2 * minute * timeScale,
    bookWithinMs: 2 * minute * timeScale,
    findOutWithinMs: 90 * minute * timeScale,
    graceMs: minute * timeScale,
    stuckAfterMs: 30 * minute * timeScale,
    gapAfterMs: 5 * minute * timeScale,
  };
  invariant(scaled.graceMs < scaled.stuckAfterMs, 'late comes before stuck');
  return Object.freeze(scaled);
}

/** A saga, and the last word of each side in it. */
export interface Heard {
  readonly saga: Saga;
  readonly ledger: Said<LedgerWord> | null;
  readonly gateway: Said<GatewayWord> | null;
}

/** Null once the saga has ended, or when there never was one: every request was refused as a command. */
export function nextStepOf({ saga, ledger, gateway }: Heard, policy: Patience): NextStep | null {
  switch (ledger?.word) {
    case 'refused':
      return null;
    case 'settled':
    case 'released':
      return gateway?.word === 'review' ? review : null;
    case 'authorized':
      return gateway === null
        ? { step: 'send', owner: ownerOf('send'), by: saga.sendBefore }
        : afterGateway(gateway, saga, policy);
    case 'reserved':
      return gateway === null
        ? ledgerStep('authorize', ledger.at, policy.decideWithinMs)
        : afterGateway(gateway, saga, policy);
    case undefined:
      return gateway === null ? beforeAnyWord(saga, policy) : afterGateway(gateway, saga, policy);
  }
}

const review: NextStep = { step: 'review', owner: ownerOf('review'), by: null };

const ledgerStep = (step: StepName, since: Instant, withinMs: number): NextStep => ({
  step,
  owner: ownerOf(step),
  by: addMilliseconds(since, withinMs),
});

function afterGateway(gateway: Said<GatewayWord>, saga: Saga, policy: Patience): NextStep {
  switch (gateway.word) {
    case 'submitted':
    case 'unknown': {
      const by = saga.reviewAt ?? addMilliseconds(gateway.at, policy.findOutWithinMs);
      return { step: 'find-out', owner: ownerOf('find-out'), by };
    }
    case 'review':
      return review;
    case 'confirmed':
      return ledgerStep('settle', gateway.at, policy.bookWithinMs);
    case 'rejected':
      return ledgerStep('release', gateway.at, policy.bookWithinMs);
  }
}

function beforeAnyWord(saga: Saga, policy: Patience): NextStep | null {
  const refused = new Set(
    saga.trail.filter(({ origin }) => origin === 'command').map(({ cause }) => cause),
  );
  const open = saga.trail.filter(({ origin, id }) => origin === 'requester' && !refused.has(id));
  if (open.length === 0) return null;
  const since = open.reduce((first, { at }) => (at < first ? at : first), open[0]!.at);
  return ledgerStep('decide', since, policy.decideWithinMs);
}
