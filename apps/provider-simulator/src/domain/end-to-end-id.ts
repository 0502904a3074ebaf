import type { Instant } from '@compasso/kernel';

/** A made-up participant: eight digits that no institution holds. */
const ispb = '99999123';

/**
 * `E`, the participant, the minute in UTC, and eleven letters or digits that are unique within it.
 */
export function endToEndIdFor(at: Instant, unique: string): string {
  const minute = new Date(at).toISOString().replace(/\D/g, '').slice(0, 12);
  return `E${ispb}${minute}${unique.replaceAll('-', '').slice(-11)}`;
}

export const isEndToEndId = (text: string): boolean =>
  /^E[0-9A-Z]{8}[0-9]{12}[A-Za-z0-9]{11}$/.test(text);
