// A cursor is opaque to callers, so that what it is made of can change.
import { type Instant, instantOf, isUuid } from '@compasso/kernel';
import { malformedCursor } from './problems.ts';

export interface Place {
  readonly at: Instant;
  readonly id: string;
}

export const cursorTo = ({ at, id }: Place): string =>
  Buffer.from(`${at}/${id}`).toString('base64url');

/** @throws Problem 400 */
export function placeFrom(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, at, id] = /^(\d{1,15})\/([0-9a-f-]{36})$/.exec(text) ?? [];
  if (at === undefined || id === undefined || !isUuid(id)) throw malformedCursor();
  return { at: instantOf(Number(at)), id };
}
