// How often a notification is tried. Bounded: a provider that retried for ever would hide a gateway
// that never asks.
import { addMilliseconds, type Instant } from '@compasso/kernel';
import type { SignatureKind } from './fault.ts';

export const deliveryLimits = { attemptsMax: 8, firstRetryMs: 1_000, timeoutMs: 5_000 } as const;

interface FailedDelivery {
  /** Tries so far, the one that just failed included. */
  readonly attempts: number;
  readonly signature: SignatureKind;
}

/** The instant of the next try, or nothing when the provider gives up. A forger tries once. */
export function nextTry(
  { attempts, signature }: FailedDelivery,
  given: { readonly now: Instant; readonly timeScale: number },
): Instant | undefined {
  if (signature !== 'right' || attempts >= deliveryLimits.attemptsMax) return undefined;
  return addMilliseconds(
    given.now,
    deliveryLimits.firstRetryMs * 2 ** (attempts - 1) * given.timeScale,
  );
}
