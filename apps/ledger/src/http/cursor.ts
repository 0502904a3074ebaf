// A cursor is opaque to callers, so that what it is made of can change.
import { malformedCursor } from './refusals.ts';

export const cursorTo = (position: bigint): string =>
  Buffer.from(`p${position}`).toString('base64url');

/** @throws Problem 400 */
export function cursorFrom(cursor: string): bigint {
  const digits = /^p(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (digits === undefined) throw malformedCursor();
  return BigInt(digits);
}
