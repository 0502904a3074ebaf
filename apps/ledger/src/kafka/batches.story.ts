// Hands records to the consumer of one topic as a broker would: per partition, with offsets that go
// on.
import { partitionOf } from '@compasso/contracts';
import { instantOf } from '@compasso/kernel';
import type { ReceivedRecord, ServiceShell } from '@compasso/messaging';

export interface Message {
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

/** One batch per partition. */
export type Receive = (...messages: readonly Message[]) => Promise<void>;

export function partitionBatch(shell: ServiceShell, topic: string): Receive {
  const subscriber = shell.subscribers.find((one) => one.topic === topic)!;
  const next = new Map<number, bigint>();
  return async (...messages) => {
    const partitions = new Set(messages.map(({ key }) => partitionOf(key)));
    await Promise.all(
      [...partitions].map(async (partition) => {
        const its = messages.filter(({ key }) => partitionOf(key) === partition);
        const first = next.get(partition) ?? 0n;
        next.set(partition, first + BigInt(its.length));
        const records = its.map((message, at) => recordOf(message, first + BigInt(at)));
        const highWatermark = first + BigInt(its.length);
        await subscriber.handle(
          [{ topic, partition, records, highWatermark }],
          new AbortController().signal,
        );
      }),
    );
  };
}

const recordOf = (message: Message, offset: bigint): ReceivedRecord => ({
  offset,
  timestamp: instantOf(Date.parse(message.headers['ce_time']!)),
  key: Buffer.from(message.key),
  value: Buffer.from(message.value),
  headers: message.headers,
});
