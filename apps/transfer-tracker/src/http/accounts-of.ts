import type { Caller } from '@compasso/runtime';

/**
 * The accounts that a list may show; undefined = all.
 * @throws Problem 403 when the caller asks for an account that is not theirs
 */
export function accountsOf(
  caller: Caller,
  accountId: string | undefined,
): readonly string[] | undefined {
  if (accountId !== undefined) {
    caller.requireAccount(accountId);
    return [accountId];
  }
  return caller.accounts === '*' ? undefined : [...caller.accounts];
}
