import { createHash, timingSafeEqual } from 'node:crypto';

/** Judges `Authorization: Bearer <key>`; digests make the lengths equal, so that the comparison tells nothing. */
export function apiKeyCheck(apiKey: string): (authorization: string | undefined) => boolean {
  const expected = digest(`Bearer ${apiKey}`);
  return (authorization) => timingSafeEqual(digest(authorization ?? ''), expected);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
