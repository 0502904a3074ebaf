// The partition of a key, computed by us and compared with what the broker reports (attack H25): murmur2 as in the
// Java client's DefaultPartitioner, so that any other team's producer agrees.
import { partitionCount } from './topics.ts';

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

function murmur2(bytes: Uint8Array): number {
  const length = bytes.length;
  let hash = seed ^ length;
  let at = 0;
  for (; length - at >= 4; at += 4) {
    let word =
      bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    word = Math.imul(word, multiplier);
    word ^= word >>> 24;
    word = Math.imul(word, multiplier);
    hash = Math.imul(hash, multiplier) ^ word;
  }
  if (length - at === 3) hash ^= bytes[at + 2]! << 16;
  if (length - at >= 2) hash ^= bytes[at + 1]! << 8;
  if (length - at >= 1) hash = Math.imul(hash ^ bytes[at]!, multiplier);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, multiplier);
  return hash ^ (hash >>> 15);
}

const utf8 = new TextEncoder();

export const partitionOf = (key: string, partitions: number = partitionCount): number =>
  (murmur2(utf8.encode(key)) & 0x7fffffff) % partitions;
