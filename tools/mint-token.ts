// Development tokens, for `npm run token`, the demo and the tests. In production an identity
// provider issues them.
import { readFileSync } from 'node:fs';
import { CodedError } from '@compasso/kernel';
import { importJWK, type JWK, SignJWT } from 'jose';
import { keyFiles } from './system/keys.ts';

export type TokenWish = {
  readonly scope?: string;
  /** Account ids; `*` stands for every account. */
  readonly accounts?: readonly string[];
  readonly subject?: string;
  /** A duration such as `1h`, or `-1h` for a token that has expired. */
  readonly expires?: string;
  readonly issuer?: string;
  readonly audience?: string;
};

export const everyScope =
  'accounts:write accounts:block deposits:write transfers:write transfers:read accounts:read books:read payouts:read cases:read';

const duration = /^-?\d+ ?(s|m|h|d|w|y)$/;

export async function mintToken(keysDirectory: string, wish: TokenWish = {}): Promise<string> {
  const key = JSON.parse(readFileSync(keyFiles(keysDirectory).authSigning, 'utf8')) as JWK;
  if (key.alg === undefined || key.kid === undefined)
    throw new CodedError('key_unusable', 'the signing key has no alg or kid');
  const expires = wish.expires ?? '1h';
  if (!duration.test(expires))
    throw new CodedError(
      'duration_unreadable',
      `--expires is a duration such as 30m or 1h, not ${expires}`,
    );
  return new SignJWT({ scope: wish.scope ?? everyScope, accounts: wish.accounts ?? ['*'] })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
    .setIssuer(wish.issuer ?? 'https://compasso.local')
    .setAudience(wish.audience ?? 'compasso')
    .setSubject(wish.subject ?? 'developer')
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(await importJWK(key));
}
