export { BrokenInvariant, CodedError, type Facts, invariant, unreachable } from './coded-error.ts';
export { type Decider, evolveAll } from './decider.ts';
export { isUuid, type NewId } from './identifier.ts';
export {
  addMilliseconds,
  type Clock,
  type Instant,
  instantFromWire,
  instantOf,
  instantToWire,
  isWireInstant,
} from './instant.ts';
export { type LocalTime, localTime, previousDate } from './local-time.ts';
export {
  addCents,
  amountCentsMax,
  amountCentsMin,
  type Cents,
  centsOf,
  centsToWire,
  formatCents,
  isAmountCents,
  minCents,
  negateCents,
  subtractCents,
  sumCents,
  zeroCents,
} from './money.ts';
