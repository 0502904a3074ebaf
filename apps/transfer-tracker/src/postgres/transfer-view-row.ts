// Sagas to rows and back. Columns are what is asked for and compared; the column `saga` is the rest of the fold.
import type { Instant } from '@compasso/kernel';
import type { Flags } from '../domain/flags.ts';
import type { Saga, TrailEntry } from '../domain/saga.ts';
import type { TransferView } from '../domain/transfer-view.ts';
import type { TransferViewRow } from './tables.ts';

/**
 * An entry of the trail as a tuple: names of fields would be most of the bytes. A cause that is in the trail itself, as
 * nearly all are, is its place there.
 */
type StoredEntry = readonly [
  id: string,
  origin: TrailEntry['origin'],
  name: string,
  at: number,
  sequence: number | null,
  word: TrailEntry['word'],
  cause: string | number | null,
  reason: string | null,
];

interface StoredSaga {
  readonly trail: readonly StoredEntry[];
  readonly sendBefore: number | null;
  readonly reviewAt: number | null;
  readonly rank: number | null;
  readonly describedBy: string | null;
}

export interface StoredView {
  readonly projection: number;
  readonly transferId: string;
  readonly saga: Saga;
  readonly view: TransferView;
  readonly judgedAsOf: Instant | null;
  readonly lookAt: Instant | null;
  readonly statusSequence: number;
  readonly untold: boolean;
  readonly updatedAt: Instant;
}

export function toRow(stored: StoredView): TransferViewRow {
  const { saga, view } = stored;
  const { description } = saga;
  return {
    projection: stored.projection,
    transferId: stored.transferId,
    accountId: description?.accountId ?? null,
    amountCents: description?.amountCents ?? null,
    keyType: description?.keyType ?? null,
    keyMasked: description?.keyMasked ?? null,
    clientReference: description?.clientReference ?? null,
    metadata: description?.metadata ?? null,
    requestedBy: description?.requestedBy ?? null,
    ledgerWord: view.ledger?.word ?? null,
    ledgerSequence: view.ledgerSequence,
    gatewayWord: view.gateway?.word ?? null,
    gatewaySequence: view.gatewaySequence,
    state: view.state,
    money: view.money,
    certainty: view.certainty,
    attention: view.attention,
    reason: view.reason,
    dueAt: view.next?.by ?? null,
    dueStep: view.next?.step ?? null,
    startedAt: view.startedAt,
    endedAt: view.endedAt,
    version: view.version,
    flags: flagsText(view),
    traceparent: saga.traceparent,
    saga: JSON.stringify(toStored(saga)),
    judgedAsOf: stored.judgedAsOf,
    lookAt: stored.lookAt,
    statusSequence: stored.statusSequence,
    untold: stored.untold,
    updatedAt: stored.updatedAt,
  };
}

export interface StoredFlags {
  readonly off_score: readonly string[];
  readonly sequence_conflict: boolean;
  readonly after_the_end: boolean;
  readonly gap: boolean;
}

const storedFlags = (flags: Omit<Flags, 'gapSince'>, gap: boolean): string => {
  const stored: StoredFlags = {
    off_score: flags.offScore,
    sequence_conflict: flags.sequenceConflict,
    after_the_end: flags.afterTheEnd,
    gap,
  };
  return JSON.stringify(stored);
};

const noFlags = storedFlags({ offScore: [], sequenceConflict: false, afterTheEnd: false }, false);

function flagsText({ flags }: TransferView): string {
  const isOdd =
    flags.offScore.length > 0 || flags.sequenceConflict || flags.afterTheEnd || flags.gapSince !== null;
  return isOdd ? storedFlags(flags, flags.gapSince !== null) : noFlags;
}

function toStored(saga: Saga): StoredSaga {
  const ids = saga.trail.map(({ id }) => id);
  return {
    trail: saga.trail.map((entry) => [
      entry.id,
      entry.origin,
      entry.name,
      entry.at,
      entry.sequence,
      entry.word,
      placeOrId(entry.cause, ids),
      entry.reason,
    ]),
    sendBefore: saga.sendBefore,
    reviewAt: saga.reviewAt,
    rank: saga.description?.rank ?? null,
    describedBy: saga.description?.from ?? null,
  };
}

function placeOrId(cause: string | null, ids: readonly string[]): string | number | null {
  const place = cause === null ? -1 : ids.lastIndexOf(cause);
  return place === -1 ? cause : place;
}

export function sagaOf(row: TransferViewRow): Saga {
  const stored = JSON.parse(row.saga) as StoredSaga;
  return {
    trail: stored.trail.map(([id, origin, name, at, sequence, word, cause, reason]) => ({
      id,
      origin,
      name,
      at: at as Instant,
      sequence,
      word,
      cause: typeof cause === 'number' ? (stored.trail[cause]?.[0] ?? null) : cause,
      reason,
    })),
    sendBefore: stored.sendBefore as Instant | null,
    reviewAt: stored.reviewAt as Instant | null,
    description: descriptionOf(row, stored),
    traceparent: row.traceparent,
  };
}

function descriptionOf(row: TransferViewRow, stored: StoredSaga): Saga['description'] {
  if (stored.rank === null || stored.describedBy === null || row.accountId === null) return null;
  return {
    rank: stored.rank,
    from: stored.describedBy,
    accountId: row.accountId,
    amountCents: row.amountCents,
    keyType: row.keyType,
    keyMasked: row.keyMasked,
    clientReference: row.clientReference,
    metadata: row.metadata,
    requestedBy: row.requestedBy,
  };
}
