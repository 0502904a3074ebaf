import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@compasso/testing';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { silentLog } from '../log.ts';
import { startKafka } from './kafka.ts';

const topic = 'kept';
// Three starts of a Java process, on a machine that may be busy.
const startsWithinMs = 300_000;

function clientOf(brokers: string): Kafka {
  return new Kafka({
    brokers: [brokers],
    clientId: 'infra',
    logLevel: logLevel.NOTHING,
    connectionTimeout: 30_000,
  });
}

async function write(brokers: string, value: string): Promise<void> {
  const producer = clientOf(brokers).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  await producer.send({ topic, acks: -1, messages: [{ value }] });
  await producer.disconnect();
}

async function readAll(brokers: string, group: string, count: number): Promise<string[]> {
  const consumer = clientOf(brokers).consumer({ groupId: group });
  const values: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => void values.push(String(message.value)),
  });
  await eventually(() => values.length >= count, { because: `${count} records in ${topic}` });
  await consumer.disconnect();
  return values;
}

describe('Kafka on a bare machine', () => {
  it(
    'keeps what was acknowledged through a kill and through a stop',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'compasso-kafka-'));
      const first = await startKafka({ directory, log: silentLog });
      const admin = clientOf(first.brokers).admin();
      await admin.connect();
      await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: false });
      await admin.disconnect();
      await write(first.brokers, 'before the kill');
      first.kill('SIGKILL');
      expect(await first.exited).toMatchObject({ signal: 'SIGKILL' });

      const second = await startKafka({ directory, port: first.port, log: silentLog });
      expect(second.brokers).toBe(first.brokers);
      await write(second.brokers, 'after the kill');
      await second.stop();

      const third = await startKafka({ directory, port: first.port, log: silentLog });
      expect(await readAll(third.brokers, 'reader', 2)).toEqual([
        'before the kill',
        'after the kill',
      ]);
      await third.stop();
      rmSync(directory, { recursive: true });
    },
    startsWithinMs,
  );

  it(
    'that is aborted while it starts leaves no process',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'compasso-kafka-'));
      const abort = new AbortController();
      const starting = startKafka({ directory, log: silentLog, signal: abort.signal });
      abort.abort();
      await expect(starting).rejects.toMatchObject({ name: 'AbortError' });
      rmSync(directory, { recursive: true });
    },
    startsWithinMs,
  );
});
