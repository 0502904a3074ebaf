// Events leave a decision through here: checked against their schema, given an identity and a trace, and written to the
// event log and the outbox in the transaction that made them true.
import { encodeHeaders, type TopicDefinition, valueBytesMax } from '@compasso/contracts';
import { type Instant, instantToWire, invariant, type NewId } from '@compasso/kernel';
import { currentTraceparent, spanFrom } from '@compasso/observability';
import type { OutgoingRecord } from '../ports/transport.ts';
import type { InsertOf, Transaction } from '../ports/unit-of-work.ts';
import type { Emission } from './emission.ts';
import { type EventLogRow, eventLogTable, outboxTable } from './tables.ts';
import { together } from './together.ts';

export interface Staging {
  readonly source: string;
  readonly newId: NewId;
  /** Which topic a contract's events go to, in this service. */
  readonly topicOf: (emission: Emission) => TopicDefinition;
}

const dateOf = (at: Instant): string => instantToWire(at).slice(0, 10);

/** @throws BrokenInvariant when data breaks its own contract or is too large: nothing is committed. */
export async function stageEmissions(
  transaction: Transaction,
  emissions: readonly Emission[],
  staging: Staging,
): Promise<void> {
  if (emissions.length === 0) return;
  const recordedOn = dateOf(transaction.instant);
  const rows = emissions.map((emission) => ({ ...rowOf(emission, transaction.instant, staging), recordedOn }));
  const pointers: InsertOf<typeof outboxTable>[] = rows.map(({ eventId }) => ({ recordedOn, eventId }));
  await together([transaction.insert(eventLogTable, rows), transaction.insert(outboxTable, pointers)]);
}

function rowOf(emission: Emission, at: Instant, staging: Staging): Omit<EventLogRow, 'recordedOn'> {
  const { contract, subject, key } = emission;
  const parsed = contract.schema.safeParse(emission.data);
  invariant(parsed.success, 'an event keeps its own contract', {
    type: contract.type,
    fields: parsed.error?.issues.map((issue) => issue.path.join('.')).join(','),
  });
  const data = JSON.stringify(parsed.data);
  invariant(Buffer.byteLength(data) <= valueBytesMax, 'an event fits its topic', { type: contract.type });
  return {
    eventId: emission.id ?? staging.newId(),
    topic: staging.topicOf(emission).name,
    recordKey: key,
    type: contract.type,
    source: staging.source,
    subject,
    sequence: emission.sequence,
    causationId: emission.causationId ?? null,
    traceparent: creationTrace(emission),
    occurredAt: at,
    data,
  };
}

/** The PRODUCER span whose context travels with the event, so that every consumer hangs under the decision. */
function creationTrace(emission: Emission): string | null {
  const span = spanFrom(`create ${emission.contract.name}`, 'producer', {
    parent: emission.traceparent ?? currentTraceparent(),
    attributes: { 'compasso.subject': emission.subject, 'messaging.operation.type': 'create' },
  });
  span.end();
  return span.traceparent ?? null;
}

/** The record of an event, the same bytes however often it is published. */
export function recordOf(row: EventLogRow, partitionOf: (key: string) => number): OutgoingRecord {
  return {
    topic: row.topic,
    partition: partitionOf(row.recordKey),
    key: row.recordKey,
    value: row.data,
    headers: encodeHeaders({
      id: row.eventId,
      source: row.source,
      type: row.type,
      subject: row.subject,
      time: instantToWire(row.occurredAt),
      causationId: row.causationId ?? undefined,
      sequence: row.sequence,
      traceparent: row.traceparent ?? undefined,
    }),
  };
}
