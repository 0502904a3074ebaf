// What the worker's parts hand to each other.
import { type Clock, type Instant, invariant } from '@compasso/kernel';
import type { OpenAttempt } from '../domain/attempt.ts';
import type { KnownPayout, PayoutEvent } from '../domain/payout.ts';

/** A call that is committed and must begin before its window closes. */
export interface ClaimedCall {
  readonly payout: KnownPayout;
  readonly attempt: OpenAttempt;
  readonly window: SendWindow;
}

/**
 * How long a call may still begin, on clocks of this process. Both readings are from before the transaction that set
 * `sendUntil`, so that the window here never ends later than there. The monotonic clock is deaf to a wall clock that is
 * set back; the wall clock goes on while a machine is suspended.
 */
export interface SendWindow {
  readonly clock: Clock;
  readonly monotonicFrom: number;
  readonly wallFrom: Instant;
  readonly lastsMs: number;
}

export interface ClockReading {
  readonly monotonicFrom: number;
  readonly wallFrom: Instant;
}

export const readClock = (clock: Clock): ClockReading => ({
  monotonicFrom: clock.monotonic(),
  wallFrom: clock.now(),
});

export const isOver = ({ clock, monotonicFrom, wallFrom, lastsMs }: SendWindow): boolean =>
  clock.monotonic() - monotonicFrom >= lastsMs || clock.now() - wallFrom >= lastsMs;

/** The call that these events began, if they began one. */
export function claimedCall(
  payout: KnownPayout,
  events: readonly PayoutEvent[],
  { clock, reading }: { readonly clock: Clock; readonly reading: ClockReading },
): ClaimedCall | undefined {
  const began = events.find((event) => event.type === 'AttemptStarted');
  if (began === undefined) return undefined;
  const attempt = payout.attempts.find((one) => one.attempt === began.attempt);
  invariant(attempt?.state === 'open', 'an attempt that began is open');
  const lastsMs = attempt.sendUntil - attempt.startedAt;
  return { payout, attempt, window: { clock, ...reading, lastsMs } };
}
