// The body of a produce request, written into one buffer. kafkajs makes an encoder of 512 zeroed bytes per header and copies
// each level into the next: its headers cost more than our messages (performance.md section 5). The bytes are the same.
// Source: https://kafka.apache.org/documentation/#recordbatch (record batch, magic 2), produce request version 3 to 7.
import { createRequire } from 'node:module';
import { sizeOfVarint, writeVarint } from './varint.ts';

export interface ProducedMessage {
  readonly key?: string | Buffer | null;
  readonly value: string | Buffer | null;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly timestamp?: unknown;
}

export interface ProducedPartition {
  readonly partition: number;
  readonly firstSequence: number;
  readonly messages: readonly ProducedMessage[];
}

export interface ProduceBody {
  readonly acks: number;
  readonly timeout: number;
  readonly transactionalId?: string | null | undefined;
  readonly producerId: { toString(): string };
  readonly producerEpoch: number;
  readonly topicData: readonly { readonly topic: string; readonly partitions: readonly ProducedPartition[] }[];
}

type Text = string | Buffer;

const crc32c = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Buffer) => number;

/** From the base offset to the count of records. */
const batchHeadSize = 61;
/** What the checksum covers begins here: all behind the checksum itself. */
const checkedFrom = 21;

/** What this writer leaves to kafkajs: repeated headers, and times of the caller's own. */
export const isPlain = ({ headers, timestamp }: ProducedMessage): boolean =>
  timestamp === undefined && Object.values(headers ?? {}).every((value) => typeof value === 'string');

export function produceBody(body: ProduceBody, now: number): Buffer {
  const topics = body.topicData.map(({ topic, partitions }) => ({ topic, partitions: partitions.map(measured) }));
  const sizeOfTopics = topics.reduce(
    (sum, { topic, partitions }) =>
      sum + 2 + sizeOf(topic) + 4 + partitions.reduce((own, { size }) => own + 8 + size, 0),
    4,
  );
  const buffer = Buffer.allocUnsafe(8 + sizeOfTopics);
  let at = buffer.writeInt16BE(-1, 0);
  at = buffer.writeInt16BE(body.acks, at);
  at = buffer.writeInt32BE(body.timeout, at);
  at = buffer.writeInt32BE(topics.length, at);
  for (const { topic, partitions } of topics) {
    at = buffer.writeInt16BE(sizeOf(topic), at);
    at += buffer.write(topic, at);
    at = buffer.writeInt32BE(partitions.length, at);
    for (const partition of partitions) {
      at = buffer.writeInt32BE(partition.partition, at);
      at = buffer.writeInt32BE(partition.size, at);
      at = writeBatch(buffer, at, partition, { body, now });
    }
  }
  return buffer;
}

interface MeasuredRecord {
  readonly message: ProducedMessage;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Without the length in front of it. */
  readonly size: number;
}

interface MeasuredPartition {
  readonly partition: number;
  readonly firstSequence: number;
  readonly records: readonly MeasuredRecord[];
  readonly size: number;
}

function measured({ partition, firstSequence, messages }: ProducedPartition): MeasuredPartition {
  const records = messages.map(measuredRecord);
  const size = records.reduce((sum, record) => sum + sizeOfVarint(record.size) + record.size, batchHeadSize);
  return { partition, firstSequence, records, size };
}

function measuredRecord(message: ProducedMessage, offsetDelta: number): MeasuredRecord {
  const headers = Object.entries(message.headers ?? {}) as [string, string][];
  let size = 2 + sizeOfVarint(offsetDelta) + sizeWithLength(message.key) + sizeWithLength(message.value);
  size += sizeOfVarint(headers.length);
  for (const [name, value] of headers) size += sizeWithLength(name) + sizeWithLength(value);
  return { message, headers, size };
}

const sizeOf = (text: Text): number => (typeof text === 'string' ? Buffer.byteLength(text) : text.length);

function sizeWithLength(text: Text | null | undefined): number {
  if (text === null || text === undefined) return 1;
  const size = sizeOf(text);
  return sizeOfVarint(size) + size;
}

interface BatchOf {
  readonly body: ProduceBody;
  readonly now: number;
}

function writeBatch(buffer: Buffer, from: number, partition: MeasuredPartition, { body, now }: BatchOf): number {
  const { records, size, firstSequence } = partition;
  let at = buffer.writeBigInt64BE(0n, from);
  at = buffer.writeInt32BE(size - 12, at);
  at = buffer.writeInt32BE(0, at);
  at = buffer.writeInt8(2, at);
  const checksumAt = at;
  at = buffer.writeInt16BE(0, at + 4);
  at = buffer.writeInt32BE(records.length - 1, at);
  at = buffer.writeBigInt64BE(BigInt(now), at);
  at = buffer.writeBigInt64BE(BigInt(now), at);
  at = buffer.writeBigInt64BE(BigInt(body.producerId.toString()), at);
  at = buffer.writeInt16BE(body.producerEpoch, at);
  at = buffer.writeInt32BE(firstSequence, at);
  at = buffer.writeInt32BE(records.length, at);
  for (const [offsetDelta, record] of records.entries()) at = writeRecord(buffer, at, offsetDelta, record);
  buffer.writeUInt32BE(crc32c(buffer.subarray(from + checkedFrom, at)), checksumAt);
  return at;
}

function writeRecord(buffer: Buffer, from: number, offsetDelta: number, record: MeasuredRecord): number {
  const { message, headers, size } = record;
  let at = writeVarint(buffer, from, size);
  // No attributes, and no time after the batch's own.
  buffer[at] = 0;
  buffer[at + 1] = 0;
  at = writeVarint(buffer, at + 2, offsetDelta);
  at = writeText(buffer, at, message.key);
  at = writeText(buffer, at, message.value);
  at = writeVarint(buffer, at, headers.length);
  for (const [name, value] of headers) {
    at = writeText(buffer, at, name);
    at = writeText(buffer, at, value);
  }
  return at;
}

function writeText(buffer: Buffer, from: number, text: Text | null | undefined): number {
  if (text === null || text === undefined) return writeVarint(buffer, from, -1);
  const at = writeVarint(buffer, from, sizeOf(text));
  return at + (typeof text === 'string' ? buffer.write(text, at) : text.copy(buffer, at));
}
