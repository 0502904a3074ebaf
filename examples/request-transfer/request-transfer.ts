// Asks for a Pix on the requests topic of your team:
//   node request-transfer.ts <account id> <centavos> <key type> <key>
import { randomUUID } from 'node:crypto';
import {
  encodeHeaders,
  partitionOf,
  type PublicKeys,
  readPixKey,
  sealPayee,
  sourceOfTeam,
  transferRequestedV1,
  transferRequestsOf,
} from '@compasso/contracts';
import { Kafka } from 'kafkajs';

const { KAFKA_BROKERS, TEAM, PAYEE_JWKS_URL } = process.env;
const [accountId, amount, keyType, text] = process.argv.slice(2);
if (!KAFKA_BROKERS || !TEAM || !PAYEE_JWKS_URL || !accountId || !text) {
  giveUp('needs KAFKA_BROKERS, TEAM, PAYEE_JWKS_URL and <account id> <centavos> <key type> <key>');
}
const key = readPixKey(keyType as Parameters<typeof readPixKey>[0], text);
if (!key.ok) giveUp(`not a Pix key of this type: ${key.code}`);

// In your service: drawn once, stored with the order before anything is sent, and the same in every retry.
const transferId = process.env['TRANSFER_ID'] ?? randomUUID();
const gatewayKeys = (await (await fetch(PAYEE_JWKS_URL)).json()) as PublicKeys;
const data = transferRequestedV1.schema.parse({
  accountId,
  amountCents: Number(amount),
  payee: await sealPayee(key.value, gatewayKeys),
  clientReference: 'request-transfer.ts',
});
const message = {
  key: accountId,
  // As the contract computes it, whatever partitioner the client comes with.
  partition: partitionOf(accountId),
  headers: encodeHeaders({
    id: randomUUID(),
    source: sourceOfTeam(TEAM),
    type: transferRequestedV1.type,
    subject: transferId,
    time: new Date().toISOString(),
  }),
  value: JSON.stringify(data),
};

const producer = new Kafka({ clientId: TEAM, brokers: KAFKA_BROKERS.split(',') }).producer({ idempotent: true });
await producer.connect();
await producer.send({ topic: transferRequestsOf(TEAM).name, acks: -1, messages: [message] });
await producer.disconnect();
process.stdout.write(`${transferId}\n`);

function giveUp(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}
