// Instants are milliseconds since the epoch inside, RFC 3339 in UTC on the wire. Nobody here reads a clock.
import { CodedError } from './coded-error.ts';

declare const instant: unique symbol;

export type Instant = number & { readonly [instant]: true };

export const instantOf = (milliseconds: number): Instant => Math.trunc(milliseconds) as Instant;

export const addMilliseconds = (from: Instant, milliseconds: number): Instant =>
  instantOf(from + milliseconds);

let last: { readonly value: Instant; readonly text: string } | undefined;

/** All rows and events of a transaction carry one instant, so the text that was made last is nearly always asked for again. */
export function instantToWire(value: Instant): string {
  if (last?.value !== value) last = { value, text: new Date(value).toISOString() };
  return last.text;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

export const isWireInstant = (text: string): boolean =>
  rfc3339.test(text) && !Number.isNaN(Date.parse(text));

/** @throws CodedError `not_an_instant` */
export const instantFromWire = (text: string): Instant => {
  if (!isWireInstant(text)) throw new CodedError('not_an_instant', 'Expected an RFC 3339 instant.', {});
  return instantOf(Date.parse(text));
};

/** What the shell hands to whoever needs time outside a transaction. Deadlines of money use the database's clock. */
export interface Clock {
  now(): Instant;
  /** Milliseconds that only grow, whatever happens to the wall clock. */
  monotonic(): number;
}
