// What a Postgres failure means. Unknown means permanent: a message is never retried for ever on a guess, and never lost.

/** Classes and codes after which the same work may succeed: connection trouble, serialisation, time-outs, shutdown, resources. */
const transientClasses = new Set(['08', '40', '53', '57', '58']);
const transientStates = new Set([
  '25P02', // the transaction was already aborted by what follows
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '55P03', // lock_timeout
  '55006', // object in use (a database that is being restored)
  '25006', // read only: a former primary
]);

const transientSystemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Messages of node-postgres for which it gives no code. */
const transientMessages =
  /connection terminated|connection error|client has encountered|query read timeout|timeout exceeded when trying to connect|server closed the connection|not queryable|cannot use a pool after/i;

export const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
};

export function isTransientPostgres(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) {
    if (transientSystemErrors.has(code) || transientStates.has(code)) return true;
    if (/^[0-9A-Z]{5}$/.test(code)) return transientClasses.has(code.slice(0, 2));
  }
  return error instanceof Error && transientMessages.test(error.message);
}

/** States after which the server has closed the session, or is about to. */
const closingStates = new Set(['25P03', '25P04', '57P01', '57P02', '57P03', '57P05']);

/** The session behind this failure is gone, or nothing is known of it. */
export function isConnectionLost(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined) return transientMessages.test(error.message);
  return transientSystemErrors.has(code) || closingStates.has(code) || code.startsWith('08');
}

export interface ConstraintFailure {
  readonly kind: 'unique' | 'constraint' | 'append-only';
  readonly table: string;
  readonly constraint: string;
}

/** Raised by the triggers of append-only tables. */
export const appendOnlyState = 'CM001';

export function constraintFailure(error: unknown): ConstraintFailure | undefined {
  const code = codeOf(error);
  if (code === undefined || !(code.startsWith('23') || code === appendOnlyState)) return undefined;
  const { table, constraint } = error as { table?: string; constraint?: string };
  const names = { table: table ?? '', constraint: constraint ?? '' };
  if (code === '23505') return { kind: 'unique', ...names };
  if (code === appendOnlyState) return { kind: 'append-only', ...names };
  return { kind: 'constraint', ...names };
}
