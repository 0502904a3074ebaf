// Writes down how calls ended and what questions brought, several in one transaction, and decides what follows.
import type { Clock } from '@compasso/kernel';
import type { Executor } from '@compasso/messaging';
import { counter } from '@compasso/observability';
import { type Contradiction, contradictionOf } from '../domain/contradiction.ts';
import type { KnownPayout, PayoutEvent } from '../domain/payout.ts';
import type { PayoutCommand } from '../domain/payout.decide.ts';
import { type DeskParts, type GatewayDesk, openPayouts } from '../postgres/gateway-desk.ts';
import { claimedCall, type ClaimedCall, type ClockReading, readClock } from './work.ts';

export interface Fact {
  readonly transferId: string;
  readonly command: Extract<PayoutCommand, { type: 'RecordOutcome' | 'RecordAnswer' }>;
}

export interface Recorded {
  readonly payout: KnownPayout;
  readonly events: readonly PayoutEvent[];
  /** The order is sent again: the call is committed and must begin. */
  readonly call?: ClaimedCall | undefined;
}

export interface RecordParts {
  readonly executor: Executor;
  readonly desk: DeskParts;
  readonly clock: Clock;
  readonly onBroken: (transferId: string, error: unknown) => void;
  readonly onContradiction: (transferId: string, contradiction: Contradiction) => void;
}

const decided = counter('compasso_payouts_decided_total');

/** Undefined where the payout's own state breaks a rule: reported, and no reason to lose the other facts. */
export async function recordFacts(
  facts: readonly Fact[],
  parts: RecordParts,
): Promise<readonly (Recorded | undefined)[]> {
  const recorded = await parts.executor.execute(async (set) => {
    const reading = readClock(parts.clock);
    const named = facts.map(({ transferId }) => transferId);
    const desk = await openPayouts(set, parts.desk, named);
    return facts.map((fact) => record(fact, desk, reading, parts));
  });
  facts.forEach((fact, at) => report(fact, recorded[at], parts));
  return recorded;
}

function record(
  { transferId, command }: Fact,
  desk: GatewayDesk,
  reading: ClockReading,
  { clock, onBroken }: RecordParts,
): Recorded | undefined {
  try {
    const events = desk.decide(transferId, command);
    const payout = desk.known(transferId);
    return { payout, events, call: claimedCall(payout, events, { clock, reading }) };
  } catch (error) {
    onBroken(transferId, error);
    return undefined;
  }
}

/** After the commit: what was rolled back and tried again is counted once. */
function report({ transferId, command }: Fact, recorded: Recorded | undefined, parts: RecordParts): void {
  if (recorded === undefined) return;
  const { payout, events } = recorded;
  const hasEnded = events.some(({ type }) => type === 'PayoutConfirmed' || type === 'PayoutRejected');
  if (hasEnded) decided.add(1, { outcome: payout.status });
  const contradiction = hasEnded ? undefined : contradictionOf(payout, command);
  if (contradiction !== undefined) parts.onContradiction(transferId, contradiction);
}
