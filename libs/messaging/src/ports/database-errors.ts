// The failures that both units of work agree on, so that the shell never reads a SQLSTATE.
import { CodedError } from '@compasso/kernel';
import type { FailureMeaning } from './unit-of-work.ts';

export const rowConflict = (table: string, constraint: string): CodedError =>
  new CodedError('row_conflict', 'Another transaction has taken this key.', { table, constraint });

export const constraintViolated = (table: string, constraint: string): CodedError =>
  new CodedError('constraint_violated', 'The row breaks a rule of its table.', { table, constraint });

export const appendOnly = (table: string): CodedError =>
  new CodedError('append_only', 'Rows of this table are never changed.', { table });

export const rowMissing = (table: string): CodedError =>
  new CodedError('row_missing', 'A row to update does not exist.', { table });

export const fenced = (): CodedError =>
  new CodedError('generation_over', 'This generation is over; its transaction was given up.');

/** Retries have run out. Whoever hears this pauses and comes back: nothing transient ever becomes permanent. */
export const temporarilyUnavailable = (cause: unknown, attempts: number): CodedError =>
  new CodedError('temporarily_unavailable', 'The database did not let this through in time.', { attempts }, { cause });

/** A database was put in place of the one that was read into: going on from here would skip all that came before. */
export const positionLost = (topic: string, partition: number): CodedError =>
  new CodedError('position_lost', 'The database no longer knows how far it has read.', { topic, partition });

const transientCodes = new Set(['generation_over', 'database_transient', 'temporarily_unavailable', 'position_lost']);

/** What the codes above mean; the Postgres adapter adds the meanings of SQLSTATEs and sockets. */
export function meaningOfCode(error: unknown): FailureMeaning {
  if (!(error instanceof CodedError)) return 'permanent';
  if (error.code === 'row_conflict') return 'conflict';
  return transientCodes.has(error.code) ? 'transient' : 'permanent';
}
