// One call that creates the order, or tries to. It is committed before its first byte, and closed when it is known how
// it ended; until then, and when nobody ever says so, its outcome counts as unknown.
import { addMilliseconds, type Instant } from '@compasso/kernel';

/**
 * `accepted`: the provider has the order. `rejected`: a final refusal of this call. `not_sent`: no byte of it left, or
 * the provider said that it did not take it. `already_exists`: the id belongs to an order with other content.
 */
export const attemptOutcomes = ['accepted', 'rejected', 'not_sent', 'already_exists', 'unknown'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

export interface AttemptStart {
  readonly attempt: number;
  readonly startedAt: Instant;
  /** The first byte leaves before this instant or never. */
  readonly sendUntil: Instant;
  readonly requestDigest: string;
}

export interface AttemptClosing {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly cause: string | null;
  readonly code: string | null;
  readonly finishedAt: Instant;
}

export interface OpenAttempt extends AttemptStart {
  readonly state: 'open';
}
export interface ClosedAttempt extends AttemptStart, AttemptClosing {
  readonly state: 'closed';
}
export type Attempt = OpenAttempt | ClosedAttempt;

export const started = ({ attempt, startedAt, sendUntil, requestDigest }: AttemptStart): OpenAttempt => ({
  state: 'open',
  attempt,
  startedAt,
  sendUntil,
  requestDigest,
});

export const closed = (attempt: Attempt, closing: AttemptClosing): ClosedAttempt => ({
  ...started(attempt),
  state: 'closed',
  outcome: closing.outcome,
  cause: closing.cause,
  code: closing.code,
  finishedAt: closing.finishedAt,
});

export const hasOutcome = (attempt: Attempt, ...outcomes: readonly AttemptOutcome[]): boolean =>
  attempt.state === 'closed' && outcomes.includes(attempt.outcome);

export const everyNotSent = (attempts: readonly Attempt[]): boolean =>
  attempts.every((one) => hasOutcome(one, 'not_sent'));

/** From here on the call can neither put bytes on the wire nor be answered to anybody who listens. */
export const endOf = (attempt: AttemptStart, callTimeoutMs: number): Instant =>
  addMilliseconds(attempt.sendUntil, callTimeoutMs);
