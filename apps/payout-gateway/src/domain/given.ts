import type { Instant } from '@compasso/kernel';
import type { Chance } from './backoff.ts';
import type { Capabilities } from './capabilities.ts';
import type { Policy } from './policy.ts';

/** By what a provider's payouts are judged. */
export interface Rules {
  readonly policy: Policy;
  readonly capabilities: Capabilities;
}

/** What a decision is handed beside the state: it reads no clock, draws no number and makes no name itself. */
export interface Given {
  readonly now: Instant;
  readonly chance: Chance;
  /** The id that a case would have, if the decision opens one. */
  readonly caseId: string;
  readonly rules: Rules;
}
