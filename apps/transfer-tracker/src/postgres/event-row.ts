// Facts to rows of the event table, and back for a rebuild.
import type { TopicFamily } from '@compasso/contracts';
import { type Fact, nameOfType } from '../kafka/fact.ts';
import type { EventRow } from './tables.ts';

export const eventRowOf = (fact: Fact): EventRow => ({
  source: fact.source,
  eventId: fact.id,
  type: fact.type,
  subject: fact.subject,
  sequence: fact.sequence,
  causationId: fact.causationId,
  traceparent: fact.traceparent,
  occurredAt: fact.occurredAt,
  brokerAt: fact.brokerAt,
  topic: fact.topic,
  partition: fact.partition,
  offset: fact.offset,
  data: fact.text,
});

/** @param familyOf by the topic's name */
export const factOfRow = (
  { eventId, data: text, ...row }: EventRow,
  familyOf: (topic: string) => TopicFamily,
): Fact => ({
  ...row,
  id: eventId,
  name: nameOfType(row.type),
  family: familyOf(row.topic),
  data: JSON.parse(text) as Fact['data'],
  text,
});
