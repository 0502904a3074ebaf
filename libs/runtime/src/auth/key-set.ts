// The public keys of the token issuer, from a file that is read again when it changes, or from a
// URL.
import { readFileSync, statSync } from 'node:fs';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose';
import { ConfigurationError } from '../config/read-config.ts';

export interface KeySet {
  readonly getKey: JWTVerifyGetKey;
  /**
   * Looks for new keys, and answers a number that changes with them: what was judged under another
   * is stale.
   */
  revision(): number;
}

const limits = {
  fileCheckMs: 1_000,
  fetchTimeoutMs: 3_000,
  fetchCooldownMs: 10_000,
  fetchAgeMaxMs: 300_000,
} as const;

/** @throws ConfigurationError when the file holds no key set at the start. */
export function keySetFromFile(path: string): KeySet {
  let keys: ReturnType<typeof createLocalJWKSet>;
  let seen: string;
  try {
    seen = stampOf(path);
    keys = readKeys(path);
  } catch {
    throw new ConfigurationError([
      { variable: 'AUTH_JWKS_FILE', rule: 'names a file without a JSON Web Key Set' },
    ]);
  }
  let revision = 1;
  let checkedAt = performance.now();
  const reload = (): void => {
    checkedAt = performance.now();
    try {
      const stamp = stampOf(path);
      if (stamp === seen) return;
      keys = readKeys(path);
      seen = stamp;
      revision += 1;
    } catch {
      // A file that is being replaced: the keys that we have stay valid, and the next look is a
      // second away.
    }
  };
  return {
    revision() {
      if (performance.now() - checkedAt >= limits.fileCheckMs) reload();
      return revision;
    },
    async getKey(header, token) {
      try {
        return await keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        reload(); // a token of a key that was added just now
        return keys(header, token);
      }
    },
  };
}

export function keySetFromUrl(url: string): KeySet {
  const getKey = createRemoteJWKSet(new URL(url), {
    timeoutDuration: limits.fetchTimeoutMs,
    cooldownDuration: limits.fetchCooldownMs,
    cacheMaxAge: limits.fetchAgeMaxMs,
  });
  return { getKey, revision: () => 0 };
}

const readKeys = (path: string): ReturnType<typeof createLocalJWKSet> =>
  createLocalJWKSet(JSON.parse(readFileSync(path, 'utf8')) as JSONWebKeySet);

function stampOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs}/${size}/${ino}`;
}
