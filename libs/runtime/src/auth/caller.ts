// Who asks, as far as the token proves it.
import { standardProblem } from '../http/standard-problems.ts';

export interface CallerClaims {
  readonly subject: string;
  readonly scopes: ReadonlySet<string>;
  /** '*' stands for every account. */
  readonly accounts: '*' | ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

export class Caller implements CallerClaims {
  readonly subject: string;
  readonly scopes: ReadonlySet<string>;
  readonly accounts: '*' | ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;

  constructor(claims: CallerClaims) {
    this.subject = claims.subject;
    this.scopes = claims.scopes;
    this.accounts = claims.accounts;
    this.roles = claims.roles;
  }

  mayUse(accountId: string): boolean {
    return this.accounts === '*' || this.accounts.has(accountId.toLowerCase());
  }

  /** @throws Problem 403 `account_not_allowed` */
  requireAccount(accountId: string): void {
    if (!this.mayUse(accountId)) throw standardProblem('account_not_allowed');
  }

  /** @throws Problem 403 `scope_missing` */
  requireScope(scope: string): void {
    if (this.scopes.has(scope)) return;
    const challenge = `Bearer realm="compasso", error="insufficient_scope", scope="${scope}"`;
    throw standardProblem('scope_missing', {
      extensions: { scope },
      headers: { 'www-authenticate': challenge },
    });
  }
}
