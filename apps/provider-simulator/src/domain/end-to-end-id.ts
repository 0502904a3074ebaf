import type { Instant } from '@compasso/kernel';

/** A made-up participant: eight digits that no institution holds. */
const ispb = '99999123';

/**
 * `E`, the participant, the minute in UTC, and eleven letters or digits that are unique within it.
 */
export const endToEndIdFor = (at: Instant, unique: string): string =>
  `E${ispb}${minuteOf(at)}${unique.slice(-11)}`;

// `2026-01-01T12:00…` without what is not a digit.
function minuteOf(at: Instant): string {
  const text = new Date(at).toISOString();
  return text.slice(0, 4) + text.slice(5, 7) + text.slice(8, 10) + text.slice(11, 13) + text.slice(14, 16);
}

export const isEndToEndId = (text: string): boolean =>
  /^E[0-9A-Z]{8}[0-9]{12}[A-Za-z0-9]{11}$/.test(text);
