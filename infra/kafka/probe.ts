// Asks a broker which requests it understands, in Kafka's own protocol: an open port proves
// nothing, because the broker listens long before it answers.
import { createConnection } from 'node:net';

const apiVersionsKey = 18;
const requestVersion = 0;
const correlationId = 1;
const noClientId = -1;
const answerBytesMin = 10;

export async function answersKafkaRequests(
  host: string,
  port: number,
  withinMs = 1_000,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    let answer = Buffer.alloc(0);
    socket.setTimeout(withinMs, () => settle(false));
    socket.once('connect', () => socket.write(apiVersionsRequest()));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length >= answerBytesMin) settle(isSuccess(answer));
    });
  });
}

function apiVersionsRequest(): Buffer {
  const header = Buffer.alloc(10);
  header.writeInt16BE(apiVersionsKey, 0);
  header.writeInt16BE(requestVersion, 2);
  header.writeInt32BE(correlationId, 4);
  header.writeInt16BE(noClientId, 8);
  const length = Buffer.alloc(4);
  length.writeInt32BE(header.length);
  return Buffer.concat([length, header]);
}

function isSuccess(answer: Buffer): boolean {
  return answer.readInt32BE(4) === correlationId && answer.readInt16BE(8) === 0;
}
