// The tracker's tables. `event` and `review_case` are owned data; `transfer_view` is a projection and can be folded anew.
import { attentionWords, certaintyWords, moneyWords, states } from '@compasso/contracts';
import {
  bigint,
  boolean,
  cents,
  defineTable,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  uuid,
} from '@compasso/messaging';

/** Every event that was ever read, once: unique on source and id; where it stood in a topic is an attribute (H23). */
export const eventTable = defineTable({
  name: 'event',
  columns: {
    source: text,
    eventId: uuid,
    type: text,
    subject: text,
    sequence: nullable(integer),
    causationId: nullable(uuid),
    traceparent: nullable(text),
    occurredAt: instant,
    brokerAt: instant,
    topic: text,
    partition: integer,
    offset: bigint,
    data: json,
  },
  key: ['source', 'eventId'],
  appendOnly: true,
});
export type EventRow = RowOf<typeof eventTable>;

const isOneOf = (words: readonly string[], word: string): boolean => words.includes(word);

/** One row per transfer and projection: the fold, and what it means. */
export const transferViewTable = defineTable({
  name: 'transfer_view',
  columns: {
    projection: integer,
    transferId: uuid,
    /** Null until an event has told it: such a transfer is shown to nobody. */
    accountId: nullable(uuid),
    amountCents: nullable(cents),
    keyType: nullable(text),
    keyMasked: nullable(text),
    clientReference: nullable(text),
    metadata: nullable(json),
    requestedBy: nullable(text),
    ledgerWord: nullable(text),
    ledgerSequence: nullable(integer),
    gatewayWord: nullable(text),
    gatewaySequence: nullable(integer),
    state: text,
    money: text,
    certainty: text,
    attention: text,
    reason: nullable(text),
    dueAt: nullable(instant),
    dueStep: nullable(text),
    startedAt: instant,
    endedAt: nullable(instant),
    /** How many distinct events were folded. */
    version: integer,
    flags: json,
    traceparent: nullable(text),
    /** What cannot be read from the other columns: the trail of events and the deadlines that they carried. */
    saga: json,
    /** Up to when all topics had been read when attention was last judged by time; null = not yet. */
    judgedAsOf: nullable(instant),
    /** When attention must be judged again without a new event. */
    lookAt: nullable(instant),
    /** `ce_sequence` of the last status event: attention changes without a new version, so version cannot count them. */
    statusSequence: integer,
    /** The public does not know the row as it is: a later event of the transfer was already waiting to be folded. */
    untold: boolean,
    updatedAt: instant,
  },
  key: ['projection', 'transferId'],
  checks: {
    version_positive: (row) => row.version > 0,
    status_sequence_not_negative: (row) => row.statusSequence >= 0,
    state_known: (row) => isOneOf(states, row.state),
    money_known: (row) => isOneOf(moneyWords, row.money),
    certainty_known: (row) => isOneOf(certaintyWords, row.certainty),
    attention_known: (row) => isOneOf(attentionWords, row.attention),
    ended_when_terminal: (row) =>
      (row.endedAt !== null) === ['completed', 'compensated', 'refused'].includes(row.state),
  },
});
export type TransferViewRow = RowOf<typeof transferViewTable>;

/** Which projection is shown, and which one is being built beside it. One row, named `transfers`. */
export const projectionTable = defineTable({
  name: 'projection',
  columns: { name: text, current: integer, building: nullable(integer) },
  key: ['name'],
  checks: {
    building_is_newer: (row) => row.building === null || row.building > row.current,
  },
});
export const transfersProjection = 'transfers';

/**
 * One row per partition number. Batches of different topics about the same accounts lock the same row first, so that they
 * create a transfer's view one after the other, and a rebuild that holds all rows has nobody beside it.
 */
export const laneTable = defineTable({
  name: 'lane',
  columns: { lane: integer, current: integer, building: nullable(integer) },
  key: ['lane'],
});

/** How far a partition was read, in time: everything that the broker took before `asOf` is in the views. */
export const readingTable = defineTable({
  name: 'reading',
  columns: { topic: text, partition: integer, asOf: instant },
  key: ['topic', 'partition'],
});

export const caseStates = ['open', 'closed'] as const;
export type CaseState = (typeof caseStates)[number];

/** What waits for a person. The id is the id of the event that opened it. Never rebuilt. */
export const reviewCaseTable = defineTable({
  name: 'review_case',
  columns: {
    caseId: uuid,
    kind: text,
    source: text,
    /** The reason that the opening event gives. */
    reason: nullable(text),
    transferId: nullable(uuid),
    accountId: nullable(uuid),
    state: text,
    /** Null while only the end of the case was read. */
    openedAt: nullable(instant),
    closedAt: nullable(instant),
    closedBy: nullable(text),
  },
  key: ['caseId'],
  checks: {
    case_state_known: (row) => isOneOf(caseStates, row.state),
    closed_when_closed: (row) => (row.state === 'closed') === (row.closedAt !== null),
    opened_or_closed: (row) => row.openedAt !== null || row.closedAt !== null,
  },
});
export type ReviewCaseRow = RowOf<typeof reviewCaseTable>;

export const trackerTables = [
  eventTable,
  transferViewTable,
  projectionTable,
  laneTable,
  readingTable,
  reviewCaseTable,
] as const;
