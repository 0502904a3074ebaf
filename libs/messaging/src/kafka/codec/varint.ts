// Kafka's variable-length integers: zigzag, seven bits a byte, the smallest first.
// Source: https://kafka.apache.org/protocol#protocol_types (VARINT, VARLONG).

export function sizeOfVarint(value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  let size = 1;
  while (rest >= 0x80) {
    rest >>>= 7;
    size += 1;
  }
  return size;
}

/** Returns where the next field begins. */
export function writeVarint(buffer: Buffer, at: number, value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  let next = at;
  while (rest >= 0x80) {
    buffer[next] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
    next += 1;
  }
  buffer[next] = rest;
  return next + 1;
}
