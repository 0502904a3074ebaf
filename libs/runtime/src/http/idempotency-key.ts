import { isUuid } from '@compasso/kernel';
import { standardProblem } from './standard-problems.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The caller's own name of this operation, in lower case. Repeated headers arrive joined and are
 * refused.
 * @throws Problem 400
 */
export function idempotencyKey(headers: Headers): string {
  const given = headers['idempotency-key'];
  if (given === undefined || given === '') throw standardProblem('idempotency_key_missing');
  const key = typeof given === 'string' ? given.toLowerCase() : '';
  if (!isUuid(key)) throw standardProblem('idempotency_key_malformed');
  return key;
}
