// Our bytes against kafkajs's own, for messages of every shape.
import { createRequire } from 'node:module';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { readFetchResponse } from './fetch-response.ts';
import { isPlain, type ProduceBody, produceBody } from './produce-request.ts';

const load = createRequire(import.meta.url);
interface Encoder {
  readonly buffer: Buffer;
}
const requestOf = load('kafkajs/src/protocol/requests/produce/v7/request') as (
  asked: object,
) => { encode(): Promise<Encoder> };
const responseOf = load('kafkajs/src/protocol/requests/fetch/v11/response') as {
  decode(raw: Buffer): Promise<{ responses: readonly unknown[] }>;
};
const long = load('kafkajs/src/utils/long') as { fromValue(value: bigint): { toString(): string } };

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom('', 'é', 'x'.repeat(700)));
const bytes = fc.oneof(text, text.map((value) => Buffer.from(value)));
const message = fc.record({
  key: fc.option(bytes),
  value: fc.option(bytes),
  // kafkajs mixes up headers with what every object has: `valueOf` comes back as a list with a function in it.
  headers: fc.dictionary(fc.string({ maxLength: 40 }).filter((name) => !(name in {})), text, { maxKeys: 12 }),
});
const partition = fc.record({
  partition: fc.nat(11),
  firstSequence: fc.nat(2_147_483_647),
  messages: fc.array(message, { minLength: 1, maxLength: 70 }),
});
const topic = fc.record({ topic: fc.string({ minLength: 1, maxLength: 60 }), partitions: fc.array(partition, { maxLength: 3 }) });
const body = fc.record({
  acks: fc.constantFrom(-1, 1),
  timeout: fc.nat(60_000),
  producerId: fc.bigInt({ min: -1n, max: 2n ** 62n }).map((value) => long.fromValue(value)),
  producerEpoch: fc.integer({ min: -1, max: 32_767 }),
  topicData: fc.array(topic, { maxLength: 2 }),
});
const now = 1_764_500_000_123;

const kafkajsBody = async (asked: ProduceBody): Promise<Buffer> =>
  (await requestOf({ ...asked, compression: 0, transactionalId: null }).encode()).buffer;

beforeEach(() => void jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

it('writes what kafkajs writes', async () => {
  await fc.assert(
    fc.asyncProperty(body, async (asked) => {
      expect(produceBody(asked, now).equals(await kafkajsBody(asked))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

/** The record batches of a produce request as a broker would send them on. */
function fetched(asked: ProduceBody, cut: number): Buffer {
  const produced = produceBody(asked, now);
  let at = 12;
  const parts: Buffer[] = [numbers(4, 7), numbers(2, 0), numbers(4, 42), numbers(4, asked.topicData.length)];
  for (const { topic: name, partitions } of asked.topicData) {
    const head = 2 + Buffer.byteLength(name) + 4;
    parts.push(produced.subarray(at, at + head));
    at += head;
    for (const { partition: number } of partitions) {
      const size = produced.readInt32BE(at + 4);
      const records = produced.subarray(at + 8, at + 8 + size);
      at += 8 + size;
      const twice = Buffer.concat([records, records]).subarray(0, 2 * size - Math.min(cut, size));
      const offsets = [numbers(8, 900), numbers(8, 899), numbers(8, 0), numbers(4, 0), numbers(4, -1)];
      parts.push(numbers(4, number), numbers(2, 0), ...offsets, numbers(4, twice.length), twice);
    }
  }
  return Buffer.concat(parts);
}

function numbers(size: 2 | 4 | 8, value: number): Buffer {
  const buffer = Buffer.alloc(size);
  if (size === 8) buffer.writeBigInt64BE(BigInt(value));
  else buffer.writeIntBE(value, 0, size);
  return buffer;
}

/** Thousands of small buffers: comparing them one by one takes minutes. */
const sameBytes = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

it('reads what kafkajs reads, also where the last batch was cut off', async () => {
  await fc.assert(
    fc.asyncProperty(body, fc.nat(200), async (asked, cut) => {
      const raw = fetched(asked, cut);
      expect(sameBytes(readFetchResponse(raw), await responseOf.decode(raw))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it('reads a header that is called as what every object has', () => {
  const messages = [{ key: null, value: 'a', headers: { valueOf: 'b', constructor: 'c' } }];
  const topicData = [{ topic: 't', partitions: [{ partition: 0, firstSequence: 0, messages }] }];
  const raw = fetched({ acks: -1, timeout: 1, producerId: '1', producerEpoch: 0, topicData }, 0);
  const [read] = readFetchResponse(raw).responses[0]!.partitions[0]!.messages;
  expect(Object.entries(read!.headers)).toEqual([['valueOf', Buffer.from('b')], ['constructor', Buffer.from('c')]]);
});

it('leaves to kafkajs what has times of its own or repeated headers', () => {
  expect(isPlain({ key: 'a', value: 'b', headers: { c: 'd' } })).toBe(true);
  expect(isPlain({ key: 'a', value: 'b', timestamp: '1' })).toBe(false);
  expect(isPlain({ key: 'a', value: 'b', headers: { c: ['d', 'e'] } })).toBe(false);
  expect(isPlain({ key: 'a', value: 'b', headers: { c: Buffer.from('d') } })).toBe(false);
});

it.each([[3], [0x21]])('knows formats that are not its own (attributes or magic %i)', async (odd) => {
  const raw = fetched({ acks: -1, timeout: 1, producerId: '1', producerEpoch: 0, topicData: [
    { topic: 't', partitions: [{ partition: 0, firstSequence: 0, messages: [{ key: 'a', value: 'b' }] }] },
  ] }, 0);
  const batchAt = raw.indexOf(Buffer.from('t')) + 1 + 4 + 4 + 2 + 24 + 4 + 4 + 4;
  if (odd === 3) raw[batchAt + 22] = odd;
  else raw[batchAt + 16] = 1;
  expect(() => readFetchResponse(raw)).toThrow(expect.objectContaining({ code: 'record_format_foreign' }));
});
