// Asks a broker who coordinates a consumer group, in Kafka's own protocol. An open port proves
// nothing: the broker listens long before it answers. And the first such question makes a new
// broker create its offsets topic, which would otherwise cost every consumer its first attempt.
import { createConnection } from 'node:net';

const findCoordinatorKey = 10;
const requestVersion = 0;
const correlationId = 1;
const noClientId = -1;
const answerBytesMin = 10;

export async function coordinatesGroups(
  host: string,
  port: number,
  withinMs = 10_000,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    let answer = Buffer.alloc(0);
    socket.setTimeout(withinMs, () => settle(false));
    socket.once('connect', () => socket.write(findCoordinator('probe')));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length >= answerBytesMin) settle(isSuccess(answer));
    });
  });
}

function findCoordinator(group: string): Buffer {
  const key = Buffer.from(group);
  const request = Buffer.concat([
    int16(findCoordinatorKey),
    int16(requestVersion),
    int32(correlationId),
    int16(noClientId),
    int16(key.length),
    key,
  ]);
  return Buffer.concat([int32(request.length), request]);
}

function isSuccess(answer: Buffer): boolean {
  return answer.readInt32BE(4) === correlationId && answer.readInt16BE(8) === 0;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
