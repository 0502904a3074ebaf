// Writes down how calls ended and what questions brought, several in one transaction, and decides what follows.
import type { Clock } from '@compasso/kernel';
import type { Executor } from '@compasso/messaging';
import type { KnownPayout, PayoutEvent } from '../domain/payout.ts';
import type { PayoutCommand } from '../domain/payout.decide.ts';
import { type DeskParts, openPayouts } from '../postgres/gateway-desk.ts';
import { claimedCall, type ClaimedCall, readClock } from './work.ts';

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
}

/** Undefined where the payout's own state breaks a rule: reported, and no reason to lose the other facts. */
export async function recordFacts(
  facts: readonly Fact[],
  { executor, desk: deskParts, clock, onBroken }: RecordParts,
): Promise<readonly (Recorded | undefined)[]> {
  return executor.execute(async (set) => {
    const reading = readClock(clock);
    const desk = await openPayouts(
      set,
      deskParts,
      facts.map(({ transferId }) => transferId),
    );
    return facts.map(({ transferId, command }) => {
      try {
        const events = desk.decide(transferId, command);
        const payout = desk.known(transferId);
        return { payout, events, call: claimedCall(payout, events, { clock, reading }) };
      } catch (error) {
        onBroken(transferId, error);
        return undefined;
      }
    });
  });
}
