// Bytes of a batch become events, or the reasons why they are none, before any handler sees them.
import { createHash } from 'node:crypto';
import {
  contractOfType,
  type Decoded,
  decodeMessage,
  type Envelope,
  type TopicDefinition,
} from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import type { ReceivedRecord, RecordBatch } from '../ports/transport.ts';
import type { DeskReference, ReceivedEvent } from './reaction.ts';
import { withTrace } from './request-trace.ts';

export interface DecodedRecord {
  readonly record: ReceivedRecord;
  readonly partition: number;
  readonly decoded: Decoded;
  readonly envelope: Envelope | undefined;
  readonly event: ReceivedEvent | undefined;
  /** Of everything that makes the event what it is: the same id must always come with the same digest. */
  readonly digest: string;
  /** What is held back when this message is dead: its transfer, else its key, else nothing. */
  readonly blockingSubject: string | undefined;
}

export const decodeBatch = (
  records: readonly ReceivedRecord[],
  batch: Pick<RecordBatch, 'topic' | 'partition'>,
  topic: TopicDefinition,
): readonly DecodedRecord[] => records.map((record) => decodeRecord(record, batch.partition, topic));

export function decodeRecord(
  record: ReceivedRecord,
  partition: number,
  topic: TopicDefinition,
): DecodedRecord {
  const decoded = withTrace(decodeMessage(record, topic));
  const envelope = decoded.envelope;
  return {
    record,
    partition,
    decoded,
    envelope,
    event: eventOf(decoded, record, partition, topic),
    digest: digestOf(record, envelope),
    blockingSubject: blockingSubjectOf(decoded),
  };
}

function blockingSubjectOf(decoded: Decoded): string | undefined {
  const subject = decoded.kind === 'dead' ? decoded.subject : decoded.envelope.subject;
  if (subject !== undefined && isUuid(subject)) return subject;
  return decoded.key === undefined ? undefined : `key:${decoded.key}`;
}

function eventOf(
  decoded: Decoded,
  record: ReceivedRecord,
  partition: number,
  topic: TopicDefinition,
): ReceivedEvent | undefined {
  if (decoded.kind !== 'event' && decoded.kind !== 'unknown-type') return undefined;
  return {
    envelope: decoded.envelope,
    contract: decoded.kind === 'event' ? decoded.contract : unknownContract(decoded.envelope, topic),
    data: decoded.data,
    key: decoded.key,
    topic: topic.name,
    partition,
    offset: record.offset,
    brokerInstant: record.timestamp,
  };
}

const unknownContract = (envelope: Envelope, topic: TopicDefinition): ReceivedEvent['contract'] =>
  ({
    name: 'unknown',
    version: 0,
    type: envelope.type,
    publisher: 'any-service',
    family: topic.family,
    meaning: 'An event that this build does not know.',
  }) as ReceivedEvent['contract'];

function digestOf(record: ReceivedRecord, envelope: Envelope | undefined): string {
  const hash = createHash('sha256');
  if (envelope !== undefined) hash.update(`${envelope.type}\n${envelope.subject}\n`);
  if (record.key !== null) hash.update(record.key);
  hash.update('\n');
  if (record.value !== null) hash.update(record.value);
  return hash.digest('base64url');
}

export function deskReferenceOf(one: DecodedRecord): DeskReference[] {
  const { decoded, envelope } = one;
  if (decoded.kind === 'dead' || envelope === undefined) return [];
  const data = decoded.kind === 'event' ? decoded.data : undefined;
  const accountId = (data as { accountId?: string } | undefined)?.accountId;
  return [
    {
      eventId: envelope.id,
      subject: envelope.subject,
      accountId: accountId ?? (isUuid(decoded.key) ? decoded.key : undefined),
      contract: contractOfType(envelope.type),
      data,
    },
  ];
}
