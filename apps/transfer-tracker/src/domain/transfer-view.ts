// Everything that is shown of a transfer: the fold, and what it means as of an instant up to which all topics were read.
// Attention is a function of (set, asOf): our own lag is never shown as somebody else's silence (attack H26).
import { addMilliseconds, type Instant } from '@compasso/kernel';
import { type Flags, flagsOf, type ScoreView } from './flags.ts';
import { type Heard, type NextStep, nextStepOf, type Patience } from './next-step.ts';
import {
  highestSequence,
  type Said,
  type Saga,
  saidByGateway,
  saidByLedger,
} from './saga.ts';
import { type Standing, standingOf, terminalStates } from './standing.ts';
import type { Attention, Certainty, GatewayWord, LedgerWord, Money, State } from './words.ts';

export interface Rules {
  readonly patience: Patience;
  readonly score: ScoreView;
}

export interface TransferView {
  readonly state: State;
  readonly money: Money;
  readonly certainty: Certainty;
  readonly attention: Attention;
  readonly reason: string | null;
  readonly next: NextStep | null;
  readonly flags: Flags;
  readonly ledger: Said<LedgerWord> | null;
  readonly gateway: Said<GatewayWord> | null;
  readonly ledgerSequence: number | null;
  readonly gatewaySequence: number | null;
  /** How many distinct events were folded: grows with the set, whatever the batches (attack H23). */
  readonly version: number;
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  /** When attention may change without a new event; null = never. */
  readonly lookAt: Instant | null;
}

/** @param asOf null = nobody has judged by time yet: nothing is late */
export function viewOf(saga: Saga, asOf: Instant | null, rules: Rules): TransferView {
  const heard = { saga, ledger: saidByLedger(saga), gateway: saidByGateway(saga) };
  const { ledger, gateway } = heard;
  const standing = standingOf(ledger?.word ?? 'none', gateway?.word ?? 'none');
  const flags = flagsOf(saga, rules.score);
  const next = nextStepOf(heard, rules.patience);
  const limits = limitsOf(next, flags, rules.patience);
  return {
    state: standing.state,
    money: standing.money,
    certainty: standing.certainty,
    attention: attentionOf(standing, flags, limits, asOf),
    reason: reasonOf(standing, next, heard),
    next,
    flags,
    ledger,
    gateway,
    ledgerSequence: highestSequence(saga, 'ledger'),
    gatewaySequence: highestSequence(saga, 'gateway'),
    version: saga.trail.length,
    startedAt: startOf(saga),
    endedAt: terminalStates.has(standing.state) ? (ledger?.at ?? null) : null,
    lookAt: needsNoTime(standing, flags) ? null : firstAfter(limits, asOf),
  };
}

interface Limits {
  readonly lateAt: Instant | null;
  readonly stuckAt: Instant | null;
}

function limitsOf(next: NextStep | null, flags: Flags, patience: Patience): Limits {
  const by = next?.by ?? null;
  const overdue = by === null ? null : addMilliseconds(by, patience.stuckAfterMs);
  const missing =
    flags.gapSince === null ? null : addMilliseconds(flags.gapSince, patience.gapAfterMs);
  return {
    lateAt: by === null ? null : addMilliseconds(by, patience.graceMs),
    stuckAt: overdue === null || (missing !== null && missing < overdue) ? missing : overdue,
  };
}

const needsNoTime = (standing: Standing, flags: Flags): boolean =>
  standing.needs !== 'nothing' || flags.sequenceConflict || flags.afterTheEnd;

function attentionOf(
  standing: Standing,
  flags: Flags,
  { lateAt, stuckAt }: Limits,
  asOf: Instant | null,
): Attention {
  if (standing.needs === 'conflict' || flags.sequenceConflict || flags.afterTheEnd) {
    return 'conflict';
  }
  if (standing.needs === 'review') return 'review';
  if (hasCome(stuckAt, asOf)) return 'stuck';
  return hasCome(lateAt, asOf) ? 'late' : 'none';
}

const hasCome = (at: Instant | null, asOf: Instant | null): boolean =>
  at !== null && asOf !== null && at <= asOf;

const firstAfter = ({ lateAt, stuckAt }: Limits, asOf: Instant | null): Instant | null => {
  const ahead = [lateAt, stuckAt].filter((at) => at !== null && !hasCome(at, asOf)) as Instant[];
  return ahead.length === 0 ? null : (Math.min(...ahead) as Instant);
};

function reasonOf(
  { state, certainty }: Standing,
  next: NextStep | null,
  { saga, ledger, gateway }: Heard,
): string | null {
  switch (state) {
    case 'refused':
    case 'compensated':
      return ledger?.reason ?? gateway?.reason ?? null;
    case 'compensating':
    case 'needs_review':
      return gateway?.reason ?? null;
    case 'submitted':
      return certainty === 'unknown' ? (gateway?.reason ?? null) : null;
    case 'started':
      return next === null ? refusalOfCommand(saga) : null;
    default:
      return null;
  }
}

/** Why nothing follows a request: the ledger refused the command. Not an end: the id is still free for a good request. */
const refusalOfCommand = (saga: Saga): string | null =>
  saga.trail.findLast(({ origin }) => origin === 'command')?.reason ?? null;

const startOf = (saga: Saga): Instant => Math.min(...saga.trail.map(({ at }) => at)) as Instant;
