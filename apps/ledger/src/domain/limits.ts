// What an account may send. Lowering counts at once, raising only after a day: whoever has taken over somebody's access cannot
// lift the limits first (pix.md 1.6: a raise takes effect 24 to 48 hours later).
import { addMilliseconds, type Cents, type Instant, minCents } from '@compasso/kernel';

export interface Limits {
  readonly perTransfer: Cents;
  readonly day: Cents;
  readonly night: Cents;
}

export interface RaisedLimits {
  readonly limits: Limits;
  /** From this instant on they count. */
  readonly from: Instant;
}

export interface KeptLimits {
  readonly limits: Limits;
  readonly raised: RaisedLimits | null;
}

export const limitsAt = ({ limits, raised }: KeptLimits, at: Instant): Limits =>
  raised !== null && raised.from <= at ? raised.limits : limits;

export const isSameLimits = (left: Limits, right: Limits): boolean =>
  left.perTransfer === right.perTransfer && left.day === right.day && left.night === right.night;

/** What is kept once somebody wants these limits; the same wish a second time does not begin to wait anew. */
export function withLimits(kept: KeptLimits, wanted: Limits, given: LimitsGiven): KeptLimits {
  const now = limitsAt(kept, given.at);
  const lowered: Limits = {
    perTransfer: minCents(now.perTransfer, wanted.perTransfer),
    day: minCents(now.day, wanted.day),
    night: minCents(now.night, wanted.night),
  };
  if (isSameLimits(lowered, wanted)) return { limits: lowered, raised: null };
  const isAwaited = kept.raised !== null && kept.raised.from > given.at && isSameLimits(kept.raised.limits, wanted);
  const from = isAwaited ? kept.raised!.from : addMilliseconds(given.at, given.raiseAfterMs);
  return { limits: lowered, raised: { limits: wanted, from } };
}

export interface LimitsGiven {
  readonly at: Instant;
  readonly raiseAfterMs: number;
}
