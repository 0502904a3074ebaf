import { causedByTime, score } from '@compasso/contracts';
import type { ScoreView } from '../domain/flags.ts';

const edges = new Map<string, Set<string>>();
for (const { event, reactions } of score) {
  edges.set(event, new Set(reactions.flatMap(({ emits }) => emits)));
}
for (const { after, emits } of causedByTime) {
  const known = edges.get(after) ?? new Set();
  edges.set(after, known);
  for (const event of emits) known.add(event);
}

/** The score of the contracts, as the fold asks it. */
export const scoreView: ScoreView = {
  knows: (event) => edges.has(event),
  allows: (cause, event) => edges.get(cause)?.has(event) ?? false,
};
