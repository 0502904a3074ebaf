// What is odd about a saga, whatever the time. Flags are functions of the set of events, like the state.
import type { Instant } from '@compasso/kernel';
import type { Origin } from './saga-event.ts';
import type { Saga, TrailEntry } from './saga.ts';
import { lastWords } from './words.ts';

/** What the tracker reads from the score. Handed in: the domain knows no contracts. */
export interface ScoreView {
  knows(event: string): boolean;
  /** Whether the score has an edge from the one event to the other. */
  allows(cause: string, event: string): boolean;
}

export interface Flags {
  /** Ids of events that the score does not know, or not as a consequence of their cause. */
  readonly offScore: readonly string[];
  /** Two different events share a source and a sequence. */
  readonly sequenceConflict: boolean;
  /** Somebody said another word after a last one. */
  readonly afterTheEnd: boolean;
  /** When it was first visible that a sequence is missing. */
  readonly gapSince: Instant | null;
}

const counting: readonly Origin[] = ['ledger', 'gateway'];

export function flagsOf(saga: Saga, score: ScoreView): Flags {
  const said = counting.map((origin) => saidInOrder(saga, origin));
  return {
    offScore: offScore(saga, score),
    sequenceConflict: said.some(sharesSequence),
    afterTheEnd: said.some(goesOnAfterTheEnd),
    gapSince: earliest(said.map(gapSince)),
  };
}

const saidInOrder = ({ trail }: Saga, origin: Origin): readonly TrailEntry[] => {
  const said = trail.filter((entry) => entry.origin === origin && entry.sequence !== null);
  return said.length < 2 ? said : said.sort((a, b) => a.sequence! - b.sequence!);
};

const sharesSequence = (said: readonly TrailEntry[]): boolean =>
  said.some((entry, at) => said[at - 1]?.sequence === entry.sequence);

function goesOnAfterTheEnd(said: readonly TrailEntry[]): boolean {
  const end = said.findIndex((entry) => entry.word !== null && lastWords.has(entry.word));
  if (end === -1) return false;
  return said.slice(end).some(({ word }) => word !== null && word !== said[end]!.word);
}

/** The earliest event beyond a hole: from then on the missing one is overdue. */
function gapSince(said: readonly TrailEntry[]): Instant | null {
  let expected = 1;
  for (const [at, { sequence }] of said.entries()) {
    if (sequence! > expected) return earliest(said.slice(at).map((beyond) => beyond.at));
    expected = sequence! + 1;
  }
  return null;
}

function offScore(saga: Saga, score: ScoreView): readonly string[] {
  const { trail } = saga;
  const isKnown = ({ name, cause }: TrailEntry): boolean => {
    // A trail is short: looking along it costs less than an index made anew for every event.
    const causeName = cause === null ? undefined : trail.findLast(({ id }) => id === cause)?.name;
    return score.knows(name) && (causeName === undefined || score.allows(causeName, name));
  };
  return trail.filter((entry) => !isKnown(entry)).map(({ id }) => id);
}

const earliest = (instants: readonly (Instant | null)[]): Instant | null =>
  instants.reduce<Instant | null>(
    (first, at) => (at !== null && (first === null || at < first) ? at : first),
    null,
  );
