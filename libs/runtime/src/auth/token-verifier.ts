// Judges bearer tokens: signature, issuer, audience, time. Missing, expired and unacceptable are
// told apart, and nothing else is: why a token is unacceptable is no business of whoever forged it.
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Problem } from '../http/problem.ts';
import { standardProblem, temporarilyUnavailable } from '../http/standard-problems.ts';
import { Caller } from './caller.ts';
import { type KeySet, keySetFromFile, keySetFromUrl } from './key-set.ts';

export interface TokenVerifier {
  /** @throws Problem 401, or 503 when the issuer's keys cannot be had */
  verify(authorization: string | undefined): Promise<Caller>;
}

export interface TokenVerifierOptions {
  readonly authJwksFile?: string | undefined;
  readonly authJwksUrl?: string | undefined;
  readonly authIssuer: string;
  readonly authAudience: string;
}

const limits = {
  clockToleranceSeconds: 5,
  rememberedTokensMax: 2_000,
  rememberedMs: 60_000,
} as const;

/** Signatures only: with a shared secret every verifier could mint tokens. */
const algorithms = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'PS256', 'RS256'];

export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const keys = options.authJwksUrl
    ? keySetFromUrl(options.authJwksUrl)
    : keySetFromFile(options.authJwksFile ?? '');
  const remembered = new RememberedCallers();
  return {
    async verify(authorization) {
      const token = tokenFrom(authorization);
      const revision = keys.revision();
      const known = remembered.find(token, revision);
      if (known) return known;
      const payload = await payloadOf(token, keys, options);
      const caller = callerFrom(payload);
      remembered.add(token, { caller, revision, expiresAtMs: (payload.exp ?? 0) * 1_000 });
      return caller;
    },
  };
}

function tokenFrom(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') throw refused('token_missing');
  const match = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization);
  if (!match?.[1]) throw refused('token_invalid');
  return match[1];
}

async function payloadOf(
  token: string,
  keys: KeySet,
  options: TokenVerifierOptions,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys.getKey, {
      issuer: options.authIssuer,
      audience: options.authAudience,
      algorithms,
      clockTolerance: limits.clockToleranceSeconds,
      requiredClaims: ['exp', 'sub'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw refused('token_expired');
    if (isUnreachableIssuer(error)) throw temporarilyUnavailable(error);
    throw refused('token_invalid');
  }
}

// Fetching keys fails with plain errors, with a timeout, or with the generic error ("Expected 200
// OK").
function isUnreachableIssuer(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true;
  return error instanceof errors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC';
}

const claims = z.object({
  sub: z.string().min(1).max(200),
  scope: z.string().max(4_000).default(''),
  accounts: z.array(z.string().max(100)).max(10_000).default([]),
  roles: z.array(z.string().max(100)).max(100).default([]),
});

function callerFrom(payload: JWTPayload): Caller {
  const parsed = claims.safeParse(payload);
  if (!parsed.success) throw refused('token_invalid');
  const { sub, scope, accounts, roles } = parsed.data;
  return new Caller({
    subject: sub,
    scopes: new Set(scope.split(' ').filter((one) => one !== '')),
    accounts: accounts.includes('*') ? '*' : new Set(accounts.map((one) => one.toLowerCase())),
    roles: new Set(roles),
  });
}

export function refused(code: 'token_missing' | 'token_expired' | 'token_invalid'): Problem {
  // RFC 6750: a request without a token is not told about an error.
  const error =
    code === 'token_missing' ? '' : `, error="invalid_token", error_description="${code}"`;
  return standardProblem(code, {
    headers: { 'www-authenticate': `Bearer realm="compasso"${error}` },
  });
}

interface Remembered {
  readonly caller: Caller;
  readonly revision: number;
  readonly expiresAtMs: number;
}

// A signature costs more than everything else that a request does before the database.
class RememberedCallers {
  readonly #byToken = new Map<string, Remembered & { readonly forgetAtMs: number }>();

  find(token: string, revision: number): Caller | undefined {
    const entry = this.#byToken.get(token);
    if (!entry) return undefined;
    if (entry.revision === revision && Date.now() < entry.forgetAtMs) return entry.caller;
    this.#byToken.delete(token);
    return undefined;
  }

  add(token: string, entry: Remembered): void {
    if (this.#byToken.size >= limits.rememberedTokensMax) this.#byToken.clear();
    const forgetAtMs = Math.min(entry.expiresAtMs, Date.now() + limits.rememberedMs);
    this.#byToken.set(token, { ...entry, forgetAtMs });
  }
}
