// The fold: a saga is a function of the set of its events. Order, duplicates and batches of any size give the same saga,
// because every part of it is a minimum, a maximum or a union (fold.property.spec.ts). Nothing here knows the time.
import type { Instant } from '@compasso/kernel';
import type { Description, Origin, SagaEvent } from './saga-event.ts';
import { type GatewayWord, lastWords, type LedgerWord } from './words.ts';

/** One folded event, kept for ever: it answers "seen already?", "which sequences?", "who caused whom?". */
export interface TrailEntry {
  readonly id: string;
  readonly origin: Origin;
  readonly name: string;
  readonly at: Instant;
  readonly sequence: number | null;
  readonly word: LedgerWord | GatewayWord | null;
  readonly cause: string | null;
  readonly reason: string | null;
}

export interface Saga {
  /** Sorted by id, so that equal sets are equal values. */
  readonly trail: readonly TrailEntry[];
  readonly sendBefore: Instant | null;
  readonly reviewAt: Instant | null;
  readonly description: RankedDescription | null;
  readonly traceparent: string | null;
}

export interface RankedDescription extends Description {
  readonly rank: number;
  /** The event that it was taken from. */
  readonly from: string;
}

export const emptySaga: Saga = {
  trail: [],
  sendBefore: null,
  reviewAt: null,
  description: null,
  traceparent: null,
};

export const hasFolded = (saga: Saga, event: Pick<SagaEvent, 'id' | 'origin'>): boolean =>
  saga.trail.some((entry) => entry.id === event.id && entry.origin === event.origin);

export function fold(saga: Saga, event: SagaEvent): Saga {
  if (hasFolded(saga, event)) return saga;
  const { id, origin, name, at, sequence, word, cause, reason } = event;
  return {
    trail: inserted(saga.trail, { id, origin, name, at, sequence, word, cause, reason }),
    sendBefore: later(saga.sendBefore, event.sendBefore),
    reviewAt: later(saga.reviewAt, event.reviewAt),
    description: better(saga.description, rankedDescription(event)),
    traceparent: first(saga.traceparent, event.traceparent),
  };
}

/** The last thing that an origin said, with its word for where the transfer is. */
export interface Said<Word> {
  readonly word: Word;
  readonly sequence: number;
  readonly at: Instant;
  readonly reason: string | null;
}

export const saidByLedger = (saga: Saga): Said<LedgerWord> | null =>
  saidBy(saga, 'ledger') as Said<LedgerWord> | null;
export const saidByGateway = (saga: Saga): Said<GatewayWord> | null =>
  saidBy(saga, 'gateway') as Said<GatewayWord> | null;

/**
 * The event with the highest sequence counts, but a last word stands: no event reopens a terminal state (field failure
 * F-02). Two events under one sequence are flagged elsewhere; here the smaller id counts, so that everybody agrees.
 */
function saidBy(saga: Saga, origin: Origin): Said<LedgerWord | GatewayWord> | null {
  let best: TrailEntry | undefined;
  for (const entry of saga.trail) {
    if (entry.origin !== origin || entry.word === null || entry.sequence === null) continue;
    if (best === undefined || outranks(entry, best)) best = entry;
  }
  if (best === undefined) return null;
  return { word: best.word!, sequence: best.sequence!, at: best.at, reason: best.reason };
}

function outranks(entry: TrailEntry, other: TrailEntry): boolean {
  const [ends, otherEnds] = [lastWords.has(entry.word!), lastWords.has(other.word!)];
  if (ends !== otherEnds) return ends;
  // The trail is sorted by id: of equal sequences the entry that came first in it keeps its place.
  return ends ? entry.sequence! < other.sequence! : entry.sequence! > other.sequence!;
}

export const highestSequence = (saga: Saga, origin: Origin): number | null =>
  saga.trail.reduce<number | null>(
    (highest, entry) =>
      entry.origin === origin && entry.sequence !== null && entry.sequence > (highest ?? 0)
        ? entry.sequence
        : highest,
    null,
  );

/** The event that began the present silence. */
export const lastSaid = ({ trail }: Saga): TrailEntry | undefined =>
  trail
    .filter(({ origin }) => origin !== 'command' && origin !== 'other')
    .reduce<TrailEntry | undefined>(
      (last, entry) => (last === undefined || entry.at >= last.at ? entry : last),
      undefined,
    );

function inserted(trail: readonly TrailEntry[], entry: TrailEntry): readonly TrailEntry[] {
  const last = trail.at(-1);
  // Ids begin with the time, so nearly every event comes last.
  if (last === undefined || comesBefore(last, entry)) return [...trail, entry];
  const place = trail.findIndex((known) => comesBefore(entry, known));
  return place === -1 ? [...trail, entry] : trail.toSpliced(place, 0, entry);
}

const comesBefore = (entry: TrailEntry, known: TrailEntry): boolean =>
  entry.id < known.id || (entry.id === known.id && entry.origin < known.origin);

const later = (left: Instant | null, right: Instant | null): Instant | null =>
  left === null || (right !== null && right > left) ? right : left;

/** All events of a transfer share one trace: any of them leads to it, and everybody takes the same one. */
const first = (left: string | null, right: string | null): string | null =>
  left === null || (right !== null && right < left) ? right : left;

const weights: Record<Origin, number> = {
  other: 0,
  command: 0,
  requester: 10,
  gateway: 20,
  ledger: 30,
};

/** The ledger's word about what a transfer is beats everybody's: a request may name somebody else's transfer id. */
function rankedDescription(event: SagaEvent): RankedDescription | null {
  const { description, origin, id } = event;
  if (description === null) return null;
  const details = [description.keyMasked, description.requestedBy].filter((one) => one !== null);
  return { ...description, rank: weights[origin] + details.length, from: id };
}

function better(
  left: RankedDescription | null,
  right: RankedDescription | null,
): RankedDescription | null {
  if (left === null || right === null) return left ?? right;
  if (left.rank !== right.rank) return left.rank > right.rank ? left : right;
  return left.from <= right.from ? left : right;
}
