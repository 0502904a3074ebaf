import { timingSafeEqual } from 'node:crypto';

/**
 * Judges `Authorization: Bearer <key>`. How long the key is may be told by the time it takes;
 * nothing else.
 */
export function apiKeyCheck(apiKey: string): (authorization: string | undefined) => boolean {
  const expected = Buffer.from(`Bearer ${apiKey}`);
  return (authorization) => {
    const given = Buffer.from(authorization ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}
