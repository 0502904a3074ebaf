// The tables that the messaging guarantees rest upon; every service has them in its own database.
import {
  bigint,
  bytes,
  date,
  defineTable,
  identity,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  uuid,
} from '../ports/table.ts';

/** How far a group has read a partition. Moves in the transaction of the batch; it, not the group's offset, is the truth. */
export const positionTable = defineTable({
  name: 'position',
  columns: { groupName: text, topic: text, partition: integer, nextOffset: bigint, lastId: nullable(uuid) },
  key: ['groupName', 'topic', 'partition'],
});

export const verdicts = ['applied', 'ignored', 'dead', 'parked'] as const;
export type Verdict = (typeof verdicts)[number];

/** What became of each message, once for ever: a redelivery finds its verdict here. */
export const inboxTable = defineTable({
  name: 'inbox',
  columns: {
    groupName: text,
    source: text,
    eventId: uuid,
    digest: text,
    verdict: text,
    receivedAt: instant,
  },
  key: ['groupName', 'source', 'eventId'],
});
export type InboxRow = RowOf<typeof inboxTable>;

/** Append-only, partitioned by day, kept as long as the topic: any event can be published again, byte for byte. */
export const eventLogTable = defineTable({
  name: 'event_log',
  columns: {
    recordedOn: date,
    eventId: uuid,
    topic: text,
    recordKey: text,
    type: text,
    source: text,
    subject: text,
    sequence: integer,
    causationId: nullable(uuid),
    traceparent: nullable(text),
    occurredAt: instant,
    data: json,
  },
  key: ['recordedOn', 'eventId'],
  appendOnly: true,
});
export type EventLogRow = RowOf<typeof eventLogTable>;

/** Ids of events that the broker has not acknowledged yet, in the order in which they were taken under row locks. */
export const outboxTable = defineTable({
  name: 'outbox',
  columns: { position: identity, recordedOn: date, eventId: uuid },
  key: ['position'],
});

/** Exists if and only if parked rows of the same group, topic and subject do. */
export const blockedTable = defineTable({
  name: 'blocked',
  columns: { groupName: text, topic: text, subject: text, caseId: uuid, since: instant },
  key: ['groupName', 'topic', 'subject'],
});

/** The dead message at the head and those that came behind it, in offset order. */
export const parkedTable = defineTable({
  name: 'parked',
  columns: {
    groupName: text,
    topic: text,
    partition: integer,
    offset: bigint,
    subject: text,
  },
  key: ['groupName', 'topic', 'partition', 'offset'],
});

export const deadLetterStates = ['open', 'parked', 'replayed', 'discarded'] as const;

/** The bytes of every message that was set aside: dead ones (`open`) and their followers (`parked`). */
export const deadLetterTable = defineTable({
  name: 'dead_letter',
  columns: {
    groupName: text,
    topic: text,
    partition: integer,
    offset: bigint,
    state: text,
    reason: text,
    caseId: uuid,
    subject: nullable(text),
    recordKey: nullable(bytes),
    value: nullable(bytes),
    headers: json,
    brokerAt: instant,
    setAsideAt: instant,
  },
  key: ['groupName', 'topic', 'partition', 'offset'],
});
export type DeadLetterRow = RowOf<typeof deadLetterTable>;

/** How often handling an offset has stopped the process. The third time the message is dead and somebody is paged. */
export const stopTable = defineTable({
  name: 'stop',
  columns: { groupName: text, topic: text, partition: integer, offset: bigint, count: integer },
  key: ['groupName', 'topic', 'partition', 'offset'],
});

export const messagingTables = [
  positionTable,
  inboxTable,
  eventLogTable,
  outboxTable,
  blockedTable,
  parkedTable,
  deadLetterTable,
  stopTable,
] as const;
