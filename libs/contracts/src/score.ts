// The whole flow in one place. Nothing executes the score: the services' handlers are compared with it, the tracker
// reads from it what comes next, and documentation draws it.
import type { Publisher } from './contract.ts';
import type { ServiceName } from './topics.ts';

export interface Reaction {
  readonly service: ServiceName;
  /** Events that this reaction may cause. Empty: the fact is recorded and nothing follows. */
  readonly emits: readonly string[];
}

export interface Step {
  readonly event: string;
  readonly publisher: Publisher;
  readonly reactions: readonly Reaction[];
  /** The event that this one undoes. */
  readonly undoes?: string;
  /** No further event of this transfer follows from its publisher. */
  readonly terminal?: boolean;
  readonly opensCase?: { readonly closedBy: readonly string[]; readonly decidedBy: ServiceName };
  /** The field of the event's data that says by when the next step is due. */
  readonly nextBy?: string;
}

/** The gateway's own jobs continue these without another message: a call, a query, a deadline. */
export const causedByTime: readonly { readonly after: string; readonly emits: readonly string[] }[] = [
  {
    after: 'ledger.payout-authorized',
    emits: [
      'payout.submitted',
      'payout.outcome-unknown',
      'payout.checked',
      'payout.confirmed',
      'payout.rejected',
      'payout.review-required',
      'payout.review-closed',
    ],
  },
];

const tracked: Reaction = { service: 'transfer-tracker', emits: ['transfer.status-changed'] };
const recorded: Reaction = { service: 'transfer-tracker', emits: [] };

export const score: readonly Step[] = [
  {
    event: 'transfer.requested',
    publisher: 'requester',
    reactions: [
      {
        service: 'ledger',
        emits: [
          'ledger.funds-reserved',
          'ledger.payout-authorized',
          'ledger.transfer-refused',
          'ledger.command-refused',
        ],
      },
      tracked,
    ],
  },
  {
    event: 'transfer.cancel-requested',
    publisher: 'requester',
    reactions: [
      {
        service: 'ledger',
        emits: ['ledger.payout-cancel-requested', 'ledger.command-refused'],
      },
      recorded,
    ],
  },
  { event: 'ledger.account-opened', publisher: 'ledger', reactions: [recorded] },
  { event: 'ledger.funds-deposited', publisher: 'ledger', reactions: [recorded] },
  { event: 'ledger.limits-changed', publisher: 'ledger', reactions: [recorded] },
  { event: 'ledger.account-blocked', publisher: 'ledger', reactions: [recorded] },
  { event: 'ledger.account-unblocked', publisher: 'ledger', reactions: [recorded] },
  { event: 'ledger.funds-reserved', publisher: 'ledger', reactions: [tracked] },
  { event: 'ledger.transfer-refused', publisher: 'ledger', terminal: true, reactions: [tracked] },
  { event: 'ledger.command-refused', publisher: 'ledger', terminal: true, reactions: [recorded] },
  {
    event: 'ledger.payout-authorized',
    publisher: 'ledger',
    nextBy: 'sendBefore',
    reactions: [{ service: 'payout-gateway', emits: [] }, tracked],
  },
  {
    event: 'ledger.payout-cancel-requested',
    publisher: 'ledger',
    reactions: [{ service: 'payout-gateway', emits: ['payout.cancel-refused'] }, tracked],
  },
  { event: 'payout.cancel-refused', publisher: 'payout-gateway', reactions: [tracked] },
  { event: 'payout.submitted', publisher: 'payout-gateway', nextBy: 'reviewAt', reactions: [tracked] },
  { event: 'payout.outcome-unknown', publisher: 'payout-gateway', nextBy: 'reviewAt', reactions: [tracked] },
  { event: 'payout.checked', publisher: 'payout-gateway', reactions: [tracked] },
  {
    event: 'payout.confirmed',
    publisher: 'payout-gateway',
    terminal: true,
    reactions: [{ service: 'ledger', emits: ['ledger.transfer-settled'] }, tracked],
  },
  {
    event: 'payout.rejected',
    publisher: 'payout-gateway',
    terminal: true,
    reactions: [{ service: 'ledger', emits: ['ledger.funds-released'] }, tracked],
  },
  {
    event: 'payout.review-required',
    publisher: 'payout-gateway',
    opensCase: { closedBy: ['payout.review-closed'], decidedBy: 'payout-gateway' },
    reactions: [tracked],
  },
  { event: 'payout.review-closed', publisher: 'payout-gateway', reactions: [tracked] },
  { event: 'ledger.transfer-settled', publisher: 'ledger', terminal: true, reactions: [tracked] },
  {
    event: 'ledger.funds-released',
    publisher: 'ledger',
    terminal: true,
    undoes: 'ledger.funds-reserved',
    reactions: [tracked],
  },
  { event: 'transfer.status-changed', publisher: 'transfer-tracker', reactions: [] },
  {
    event: 'dead-letter.opened',
    publisher: 'any-service',
    opensCase: { closedBy: ['dead-letter.closed'], decidedBy: 'transfer-tracker' },
    reactions: [recorded],
  },
  { event: 'dead-letter.closed', publisher: 'any-service', reactions: [recorded] },
];

/** The events that a service must have a handler for: compared with what it registers. */
export const reactionsOf = (service: ServiceName): readonly string[] =>
  score
    .filter((step) => step.reactions.some((reaction) => reaction.service === service))
    .map((step) => step.event);
