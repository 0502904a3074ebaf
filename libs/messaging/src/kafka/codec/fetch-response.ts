// Reads a fetch response in one pass. kafkajs copies an object per header and goes through a class for each 64-bit number,
// which costs more than all that a batch does with the message (performance.md section 5). What comes out is the same.
// Source: https://kafka.apache.org/documentation/#recordbatch (record batch, magic 2), fetch response version 11.
import { CodedError } from '@compasso/kernel';

/** A message as kafkajs hands it on. */
export interface FetchedMessage {
  readonly magicByte: number;
  readonly attributes: number;
  readonly timestamp: string;
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | null | (Buffer | null)[]>>;
  readonly isControlRecord: boolean;
  readonly batchContext: BatchHead;
}

interface BatchHead {
  readonly firstOffset: string;
  readonly firstTimestamp: string;
  readonly partitionLeaderEpoch: number;
  readonly inTransaction: boolean;
  readonly isControlBatch: boolean;
  readonly lastOffsetDelta: number;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly maxTimestamp: string;
  readonly timestampType: number;
  readonly magicByte: number;
}

/** Old formats and compression are kafkajs's. */
export const isForeignFormat = (error: unknown): boolean =>
  error instanceof CodedError && error.code === 'record_format_foreign';

export function readFetchResponse(buffer: Buffer) {
  const cursor = new Cursor(buffer);
  const clientSideThrottleTime = cursor.int32();
  const errorCode = cursor.int16();
  const sessionId = cursor.int32();
  const responses = cursor.list(() => ({ topicName: cursor.text(), partitions: cursor.list(() => readPartition(cursor)) }));
  // As kafkajs does: the broker expects the client to wait, and has not waited itself.
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

const readPartition = (cursor: Cursor) => ({
  partition: cursor.int32(),
  errorCode: cursor.int16(),
  highWatermark: String(cursor.int64()),
  lastStableOffset: String(cursor.int64()),
  lastStartOffset: String(cursor.int64()),
  abortedTransactions: cursor.list(() => ({ producerId: String(cursor.int64()), firstOffset: String(cursor.int64()) })),
  preferredReadReplica: cursor.int32(),
  messages: readBatches(cursor),
});

const batchOverhead = 49;

function readBatches(cursor: Cursor): FetchedMessage[] {
  const size = cursor.int32();
  if (size <= 0) return [];
  const end = Math.min(cursor.at + size, cursor.buffer.length);
  const messages: FetchedMessage[] = [];
  // The last batch may have been cut off: the broker fills what it was allowed to send.
  while (end - cursor.at >= batchOverhead && readBatch(cursor, end, messages));
  cursor.at = end;
  return messages;
}

function readBatch(cursor: Cursor, end: number, messages: FetchedMessage[]): boolean {
  const firstOffset = cursor.int64();
  const length = cursor.int32();
  if (cursor.at + length > end) return false;
  const next = cursor.at + length;
  const partitionLeaderEpoch = cursor.int32();
  const magicByte = cursor.int8();
  if (magicByte !== 2) throw foreign();
  cursor.skip(4);
  const attributes = cursor.int16();
  if ((attributes & 0x7) !== 0) throw foreign();
  const lastOffsetDelta = cursor.int32();
  const firstTimestamp = cursor.int64();
  const maxTimestamp = cursor.int64();
  const isControlBatch = (attributes & 0x20) !== 0;
  const head: BatchHead = {
    firstOffset: String(firstOffset),
    firstTimestamp: String(firstTimestamp),
    partitionLeaderEpoch,
    inTransaction: (attributes & 0x10) !== 0,
    isControlBatch,
    lastOffsetDelta,
    producerId: String(cursor.int64()),
    producerEpoch: cursor.int16(),
    firstSequence: cursor.int32(),
    maxTimestamp: String(maxTimestamp),
    timestampType: (attributes & 0x8) === 0 ? 0 : 1,
    magicByte,
  };
  const count = cursor.int32();
  for (let record = 0; record < count; record += 1) {
    messages.push(readRecord(cursor, { head, firstOffset, firstTimestamp }));
  }
  cursor.at = next;
  return true;
}

interface BatchNumbers {
  readonly head: BatchHead;
  readonly firstOffset: bigint;
  readonly firstTimestamp: bigint;
}

function readRecord(cursor: Cursor, { head, firstOffset, firstTimestamp }: BatchNumbers): FetchedMessage {
  const size = cursor.varint();
  const next = cursor.at + size;
  const attributes = cursor.int8();
  const timestampDelta = cursor.varlong();
  const offsetDelta = cursor.varint();
  const key = cursor.bytes();
  const value = cursor.bytes();
  // Without a prototype: a header may be called `__proto__`.
  const headers = Object.create(null) as Record<string, Buffer | null | (Buffer | null)[]>;
  for (let count = cursor.varint(); count > 0; count -= 1) {
    const name = cursor.shortText();
    const text = cursor.bytes();
    const before = headers[name];
    headers[name] = before === undefined ? text : Array.isArray(before) ? [...before, text] : [before, text];
  }
  cursor.at = next;
  return {
    magicByte: head.magicByte,
    attributes,
    timestamp: head.timestampType === 1 ? head.maxTimestamp : String(firstTimestamp + timestampDelta),
    offset: String(firstOffset + BigInt(offsetDelta)),
    key,
    value,
    headers,
    isControlRecord: head.isControlBatch,
    batchContext: head,
  };
}

const foreign = () => new CodedError('record_format_foreign', 'These records are of another format.', {});

class Cursor {
  readonly buffer: Buffer;
  at = 0;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  skip(bytes: number): void {
    this.at += bytes;
  }

  int8(): number {
    const value = this.buffer.readInt8(this.at);
    this.at += 1;
    return value;
  }

  int16(): number {
    const value = this.buffer.readInt16BE(this.at);
    this.at += 2;
    return value;
  }

  int32(): number {
    const value = this.buffer.readInt32BE(this.at);
    this.at += 4;
    return value;
  }

  int64(): bigint {
    const value = this.buffer.readBigInt64BE(this.at);
    this.at += 8;
    return value;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.buffer.readUInt8(this.at);
      this.at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
  }

  varlong(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.buffer.readUInt8(this.at);
      this.at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return (value >> 1n) ^ -(value & 1n);
    }
  }

  bytes(): Buffer | null {
    const size = this.varint();
    if (size === -1) return null;
    const from = this.at;
    this.at += size;
    return this.buffer.subarray(from, this.at);
  }

  shortText(): string {
    const size = this.varint();
    const from = this.at;
    this.at += Math.max(0, size);
    return this.buffer.toString('utf8', from, this.at);
  }

  text(): string {
    const size = this.int16();
    const from = this.at;
    this.at += Math.max(0, size);
    return this.buffer.toString('utf8', from, this.at);
  }

  list<Item>(read: () => Item): Item[] {
    const length = this.int32();
    return Array.from({ length: Math.max(0, length) }, read);
  }
}
