// Where a transfer stands: one total table, the ledger's word against the gateway's word. Topics are read independently,
// so every pair can be seen, also those that pass by themselves once the other topic has caught up.
import type { Certainty, GatewayWord, LedgerWord, Money, State } from './words.ts';

export interface Standing {
  readonly state: State;
  readonly money: Money;
  readonly certainty: Certainty;
  /** What no time heals: an open review, or proof against proof. */
  readonly needs: 'nothing' | 'review' | 'conflict';
}

type GatewayRow = Readonly<Record<GatewayWord | 'none', Standing>>;

const standing = (
  state: State,
  money: Money,
  certainty: Certainty,
  needs: Standing['needs'] = 'nothing',
): Standing => ({ state, money, certainty, needs });

/** The gateway acts only after the pivot, so its word tells that the money is on hold before the ledger's is read. */
const heldWhile = (withoutGateway: Standing): GatewayRow => ({
  none: withoutGateway,
  submitted: standing('submitted', 'held', 'in_progress'),
  unknown: standing('submitted', 'held', 'unknown'),
  review: standing('needs_review', 'held', 'unknown', 'review'),
  // Proven paid, and not completed until the ledger has settled.
  confirmed: standing('submitted', 'held', 'confirmed'),
  rejected: standing('compensating', 'held', 'confirmed'),
});

const refused = standing('refused', 'none', 'confirmed');
const payoutOfRefused = standing('refused', 'conflicted', 'unknown', 'conflict');
const completed = standing('completed', 'settled', 'confirmed');
const compensated = standing('compensated', 'released', 'confirmed');

const standings: Readonly<Record<LedgerWord | 'none', GatewayRow>> = {
  none: heldWhile(standing('started', 'none', 'in_progress')),
  reserved: heldWhile(standing('funds_reserved', 'held', 'in_progress')),
  authorized: heldWhile(standing('funds_reserved', 'held', 'in_progress')),
  settled: {
    none: completed,
    submitted: completed,
    unknown: completed,
    review: { ...completed, needs: 'review' },
    confirmed: completed,
    rejected: standing('completed', 'conflicted', 'unknown', 'conflict'),
  },
  released: {
    none: compensated,
    submitted: compensated,
    unknown: compensated,
    review: { ...compensated, needs: 'review' },
    confirmed: standing('compensated', 'conflicted', 'unknown', 'conflict'),
    rejected: compensated,
  },
  refused: {
    none: refused,
    submitted: payoutOfRefused,
    unknown: payoutOfRefused,
    review: payoutOfRefused,
    confirmed: payoutOfRefused,
    // No money moved, but nobody may pay out what was refused.
    rejected: { ...refused, needs: 'conflict' },
  },
};

export const standingOf = (ledger: LedgerWord | 'none', gateway: GatewayWord | 'none'): Standing =>
  standings[ledger][gateway];

export const terminalStates: ReadonlySet<State> = new Set<State>([
  'completed',
  'compensated',
  'refused',
]);
