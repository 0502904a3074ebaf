// Facts to rows of the event table, and back for a rebuild.
import type { TopicFamily } from '@compasso/contracts';
import { type Fact } from '../kafka/fact.ts';
import type { EventRow } from './tables.ts';

export const eventRowOf = ({ id, family: _family, data, ...fact }: Fact): EventRow => ({
  ...fact,
  eventId: id,
  data: JSON.stringify(data),
});

/** @param familyOf by the topic's name */
export const factOfRow = (
  { eventId, data, ...row }: EventRow,
  familyOf: (topic: string) => TopicFamily,
): Fact => ({
  ...row,
  id: eventId,
  family: familyOf(row.topic),
  data: JSON.parse(data) as Fact['data'],
});
