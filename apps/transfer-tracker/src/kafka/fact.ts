// An event as it is stored: what a message, a row of the event table and a record read by a rebuild have in common.
import {
  contractOfType,
  decodeMessage,
  type Envelope,
  type TopicDefinition,
  type TopicFamily,
} from '@compasso/contracts';
import { type Instant, instantFromWire } from '@compasso/kernel';
import { type ReceivedEvent, type ReceivedRecord, withTrace } from '@compasso/messaging';

export interface Fact {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** The contract's name; of an unknown type, what its type seems to call it. */
  readonly name: string;
  readonly family: TopicFamily;
  readonly subject: string;
  readonly sequence: number | null;
  readonly causationId: string | null;
  readonly traceparent: string | null;
  readonly occurredAt: Instant;
  readonly brokerAt: Instant;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** Without anything sealed: what only the gateway can open is of no use here, for ever (attack H28). */
  readonly data: Readonly<Record<string, unknown>>;
  /** The same as JSON, as it is stored. */
  readonly text: string;
}

export const factOf = (event: ReceivedEvent): Fact =>
  factFrom(event.envelope, event.data, {
    family: event.contract.family,
    brokerAt: event.brokerInstant,
    topic: event.topic,
    partition: event.partition,
    offset: event.offset,
  });

/** A record that is read outside any group; undefined where a consumer would find no event either. */
export function factOfRecord(
  record: ReceivedRecord,
  topic: TopicDefinition,
  partition: number,
): Fact | undefined {
  const decoded = withTrace(decodeMessage(record, topic));
  if (decoded.kind !== 'event' && decoded.kind !== 'unknown-type') return undefined;
  return factFrom(decoded.envelope, decoded.data, {
    family: topic.family,
    brokerAt: record.timestamp,
    topic: topic.name,
    partition,
    offset: record.offset,
  });
}

type Place = Pick<Fact, 'family' | 'brokerAt' | 'topic' | 'partition' | 'offset'>;

const factFrom = (envelope: Envelope, data: unknown, place: Place): Fact => ({
  id: envelope.id,
  source: envelope.source,
  type: envelope.type,
  name: nameOfType(envelope.type),
  subject: envelope.subject,
  sequence: envelope.sequence ?? null,
  causationId: envelope.causationId ?? null,
  traceparent: envelope.traceparent ?? null,
  occurredAt: instantFromWire(envelope.time),
  ...place,
  ...contentOf(data),
});

/** Most events have nothing sealed: one look at their text spares a copy. */
function contentOf(data: unknown): Pick<Fact, 'data' | 'text'> {
  const text = JSON.stringify(data);
  if (!text.includes('"sealed"')) return { data: data as Fact['data'], text };
  const open = withoutSealed(data) as Fact['data'];
  return { data: open, text: JSON.stringify(open) };
}

/** `compasso.payout.confirmed.v1` → `payout.confirmed`; foreign types keep their whole name. */
export const nameOfType = (type: string): string =>
  contractOfType(type)?.name ?? /^compasso\.(.+)\.v\d+$/.exec(type)?.[1] ?? type;

/** A copy without any field named `sealed`, however deep: unknown events are kept too. */
function withoutSealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSealed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'sealed')
      .map(([name, inner]) => [name, withoutSealed(inner)]),
  );
}
