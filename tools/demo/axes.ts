// How transfers end, in the public words.
import type { Axes } from '../client/tracker-client.ts';

const calm = { certainty: 'confirmed', attention: 'none' } as const;

export const endings = {
  completed: { state: 'completed', money: 'settled', ...calm },
  compensated: { state: 'compensated', money: 'released', ...calm },
  refused: { state: 'refused', money: 'none', ...calm },
  inReview: { state: 'needs_review', money: 'held', certainty: 'unknown', attention: 'review' },
} as const satisfies Readonly<Record<string, Axes>>;

export const axesOf = ({ state, money, certainty, attention }: Axes): Axes => ({ state, money, certainty, attention });

export const isSameEnd = (left: Axes, right: Axes): boolean =>
  JSON.stringify(axesOf(left)) === JSON.stringify(axesOf(right));

export const inWords = ({ state, money, certainty, attention }: Axes): string =>
  `${state}, ${money}, ${certainty}${attention === 'none' ? '' : `, ${attention}`}`;
