import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { partitionOf } from './partition.ts';
import { partitionCount } from './topics.ts';

// Taken from `Utils.toPositive(Utils.murmur2(key)) % 12` of Apache Kafka's own Java client, 4.4.0.
const javaClient: readonly (readonly [string, number])[] = [
  ['a', 4],
  ['ab', 2],
  ['abc', 3],
  ['abcd', 8],
  ['abcde', 1],
  ['21', 0],
  ['foobar', 6],
  ['a-little-bit-long-string', 8],
  ['a-little-bit-longer-string', 11],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', 5],
  ['ledger', 2],
  ['payout-gateway', 2],
  ['transfer-tracker', 8],
  ['ação', 1],
  ['日本語', 10],
  ['😀', 9],
  ['019b3f2c-7c1e-7000-8000-000000000001', 3],
  ['019b3f2c-7c1e-7000-8000-000000000002', 6],
  ['4f1c2a7e-0d3b-4c55-9a61-7be2f0c8d914', 3],
  ['ffffffff-ffff-4fff-bfff-ffffffffffff', 11],
];

const partitionMetadata = (partitions: number) =>
  Array.from({ length: partitions }, (_, partitionId) => ({
    partitionId,
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  }));

function kafkajsPartitionOf(key: string, partitions: number): number {
  return kafkajs.Partitioners.DefaultPartitioner()({
    topic: 'any',
    partitionMetadata: partitionMetadata(partitions),
    message: { key, value: null },
  });
}

describe('the partition of a key', () => {
  it.each(javaClient)('%s is where the Java client puts it', (key, partition) => {
    expect(partitionOf(key)).toBe(partition);
  });

  it('agrees with the default partitioner of kafkajs for any key and any count', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1, max: 100 }),
        (key, partitions) => {
          expect(partitionOf(key, partitions)).toBe(kafkajsPartitionOf(key, partitions));
        },
      ),
    );
  });

  it('stays within the topic for every account id', () => {
    fc.assert(
      fc.property(fc.uuid(), (accountId) => {
        const partition = partitionOf(accountId);
        expect(partition >= 0 && partition < partitionCount).toBe(true);
      }),
    );
  });
});
