// How much a provider is called: so many calls at once, so many per second, none while it is down or does not want us, and
// then slowly more. The worker asks for room before it claims, so that what cannot be sent stays in the queue.
import type { Clock } from '@compasso/kernel';
import { gauge } from '@compasso/observability';
import {
  bulkhead,
  type BulkheadPolicy,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhenResult,
  type IPolicy,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  wrap,
} from 'cockatiel';
import type { Policy } from '../domain/policy.ts';
import type { HoldBack, Queried, Submitted } from '../provider/provider.port.ts';

export interface GateOptions {
  readonly provider: string;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly submitsMax: number;
  readonly queriesMax: number;
  readonly callsPerSecondMax: number;
}

/** Failures in a row, without one good call in between, after which calls are held back. */
const failuresMax = 10;
/** Causes of ours: they say nothing about the provider. */
const ownCauses = new Set(['send_window_passed', 'stopped', 'breaker_open']);

export class ProviderGate {
  readonly #options: GateOptions;
  readonly #submits: Lane<Submitted>;
  readonly #queries: Lane<Queried>;
  readonly #tokens: TokenBucket;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#submits = new Lane(options.submitsMax, options, isFailedSubmit);
    this.#queries = new Lane(options.queriesMax, options, isFailedQuery);
    this.#tokens = new TokenBucket(options.callsPerSecondMax, options.clock);
    const labels = { provider: options.provider };
    gauge('compasso_provider_breaker_open', () => [{ value: this.#isBroken() ? 1 : 0, labels }]);
    gauge('compasso_provider_paused', () => [{ value: this.isPaused() ? 1 : 0, labels }]);
    gauge('compasso_provider_calls_in_flight', () => [
      { value: this.#submits.inFlight + this.#queries.inFlight, labels },
    ]);
  }

  /** How many calls and questions could begin now. */
  room(): { readonly submits: number; readonly queries: number } {
    if (this.isPaused()) return { submits: 0, queries: 0 };
    const tokens = this.#tokens.available();
    return {
      submits: Math.min(this.#submits.room(), tokens),
      queries: Math.min(this.#queries.room(), tokens),
    };
  }

  /** No room because of the provider, not because we are busy. */
  isClosed(): boolean {
    return this.isPaused() || this.#isBroken();
  }

  isPaused(): boolean {
    return this.#options.clock.monotonic() < this.#pausedUntil;
  }

  async submit(call: () => Promise<Submitted>): Promise<Submitted> {
    this.#tokens.take();
    const submitted = await this.#submits.run(call, {
      heldBack: { outcome: { kind: 'not_sent', cause: 'breaker_open' } },
      broken: { outcome: { kind: 'unknown', cause: 'adapter_failed' } },
    });
    this.#obey(submitted.holdBack);
    return submitted;
  }

  async query(call: () => Promise<Queried>): Promise<Queried> {
    this.#tokens.take();
    const queried = await this.#queries.run(call, {
      heldBack: { answer: { kind: 'unknown', cause: 'breaker_open' } },
      broken: { answer: { kind: 'unknown', cause: 'adapter_failed' } },
    });
    this.#obey(queried.holdBack);
    return queried;
  }

  #obey(holdBack: HoldBack | undefined): void {
    if (holdBack === undefined) return;
    const { policy, clock } = this.#options;
    const wanted =
      holdBack.because === 'credentials_refused'
        ? policy.credentialPauseMs
        : (holdBack.forMs ?? policy.retryAfterMs);
    // A wrong or hostile `Retry-After` must not stop payouts for a day.
    const until =
      clock.monotonic() + Math.min(wanted, Math.max(policy.credentialPauseMs, policy.retryAfterMs));
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#submits.beginSlowly();
    this.#queries.beginSlowly();
  }

  #isBroken(): boolean {
    return this.#submits.isBroken || this.#queries.isBroken;
  }
}

const isFailedSubmit = ({ outcome, holdBack }: Submitted): boolean => {
  if (outcome.kind === 'unknown') return true;
  return outcome.kind === 'not_sent' && holdBack === undefined && !ownCauses.has(outcome.cause);
};

const isFailedQuery = ({ answer, holdBack }: Queried): boolean =>
  answer.kind === 'unknown' && holdBack === undefined;

interface Otherwise<Result> {
  /** The call was never made. */
  readonly heldBack: Result;
  /** The adapter broke its promise not to reject: nobody knows what it had done by then. */
  readonly broken: Result;
}

/** Calls of one kind. A provider may take orders while its queries are down, or the other way round. */
class Lane<Result> {
  readonly #breaker: CircuitBreakerPolicy;
  readonly #bulkhead: BulkheadPolicy;
  readonly #limited: IPolicy;
  readonly #max: number;
  readonly #clock: Clock;
  readonly #breakerPauseMs: number;
  #allowed: number;
  #openedAt = 0;
  inFlight = 0;

  constructor(max: number, { policy, clock }: GateOptions, isFailure: (result: Result) => boolean) {
    this.#max = max;
    this.#allowed = max;
    this.#clock = clock;
    this.#breakerPauseMs = policy.breakerPauseMs;
    this.#breaker = circuitBreaker(
      handleWhenResult((result) => isFailure(result as Result)),
      { halfOpenAfter: policy.breakerPauseMs, breaker: new ConsecutiveBreaker(failuresMax) },
    );
    this.#bulkhead = bulkhead(max, max);
    this.#limited = wrap(this.#bulkhead, this.#breaker);
    this.#breaker.onBreak(() => {
      this.#openedAt = clock.monotonic();
      this.beginSlowly();
    });
  }

  get isBroken(): boolean {
    return this.#breaker.state !== CircuitState.Closed;
  }

  room(): number {
    switch (this.#breaker.state) {
      case CircuitState.Closed:
        return Math.max(0, Math.min(this.#allowed - this.inFlight, this.#bulkhead.executionSlots));
      case CircuitState.Open:
        return this.inFlight === 0 && this.#clock.monotonic() - this.#openedAt >= this.#breakerPauseMs
          ? 1
          : 0;
      default:
        return 0;
    }
  }

  /** One call, then two, four, eight … for as long as they go well. */
  beginSlowly(): void {
    this.#allowed = 1;
  }

  async run(call: () => Promise<Result>, otherwise: Otherwise<Result>): Promise<Result> {
    this.inFlight += 1;
    try {
      const result = await this.#limited.execute(call);
      if (this.#breaker.state === CircuitState.Closed) this.#allowed = Math.min(this.#max, this.#allowed * 2);
      return result;
    } catch (error) {
      const wasHeldBack = isBrokenCircuitError(error) || isBulkheadRejectedError(error);
      return wasHeldBack ? otherwise.heldBack : otherwise.broken;
    } finally {
      this.inFlight -= 1;
    }
  }
}

/** So many calls per second, and at most a second's worth at once. */
class TokenBucket {
  readonly #perSecond: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#tokens = perSecond;
    this.#at = clock.monotonic();
  }

  available(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    return Math.max(0, Math.floor(this.#tokens));
  }

  take(): void {
    this.#tokens -= 1;
  }
}
