// The gateway as its process composes it: from environment variables, on real Postgres, real Kafka and the real simulator.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  allTopics,
  encodeHeaders,
  headerText,
  ledgerEvents,
  ledgerPayoutAuthorizedV1,
  partitionOf,
  payoutEvents,
} from '@compasso/contracts';
import { instantToWire } from '@compasso/kernel';
import { KafkaTransport, type OutgoingRecord } from '@compasso/messaging';
import { createLogger, httpObserver } from '@compasso/observability';
import { createTokenVerifier, parseConfig, ReadinessRegistry, startHttp } from '@compasso/runtime';
import {
  createTopics,
  deleteTopics,
  eventually,
  privateDatabase,
  privatePrefix,
  testBrokers,
} from '@compasso/testing';
import { exportJWK, generateKeyPair } from 'jose';
import { uuidv7 } from 'uuidv7';
import { cpf, type PayeeKeys, payeeKeys } from './jobs/gateway-world.story.ts';
import { wakeAfterBatches } from './kafka/wake-after-batches.ts';
import { gatewaySchema } from './payout-gateway.config.ts';
import { composeGateway, isTransient } from './payout-gateway.ts';
import { systemClock } from './running-gateway.fixture.ts';
import { apiKey, startSimulator, webhookSecret } from './simulator.fixture.ts';

const logger = createLogger({ service: 'payout-gateway', replica: '1', level: 'silent' });

async function keyFiles(keys: PayeeKeys) {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-'));
  const write = (name: string, content: string): string => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  return {
    AUTH_JWKS_FILE: write('auth.json', JSON.stringify({ keys: [await exportJWK(signing.publicKey)] })),
    PROVIDER_API_KEY_FILE: write('api.key', apiKey),
    PROVIDER_WEBHOOK_SECRET_FILE: write('webhook.secret', webhookSecret),
    PAYEE_PRIVATE_JWKS_FILE: write('payee.json', JSON.stringify(keys.privateKeys)),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

async function running() {
  const keys = await payeeKeys();
  const { remove, ...files } = await keyFiles(keys);
  const database = await privateDatabase([]);
  const topicPrefix = privatePrefix();
  const topics = allTopics({ requestTeams: ['acme'] });
  await createTopics(topicPrefix, topics);
  // No webhooks here: the questions of the plan find out.
  const simulator = await startSimulator({});
  const config = parseConfig(gatewaySchema, {
    ...files,
    HTTP_PORT: '0',
    MANAGEMENT_PORT: '0',
    DATABASE_URL: database.url,
    KAFKA_BROKERS: testBrokers().join(','),
    TOPIC_PREFIX: topicPrefix,
    PROVIDER_URL: simulator.url,
    TIME_SCALE: '0.02',
  });
  const gateway = await composeGateway({ config, logger, onFatal: () => undefined });
  wakeAfterBatches(gateway.messaging.strategy, () => gateway.worker.wake());
  const http = await startHttp({
    module: gateway.module,
    host: config.httpHost,
    port: config.httpPort,
    logger,
    telemetry: { http: httpObserver },
    readiness: new ReadinessRegistry(),
    verifier: createTokenVerifier(config),
    isTransient,
    beforeListen: (app) => void app.connectMicroservice({ strategy: gateway.messaging.strategy }),
  });
  gateway.worker.start();
  await gateway.messaging.start(new AbortController().signal);
  await http.app.startAllMicroservices();
  const options = { brokers: testBrokers(), clientId: 'outside', topicPrefix, logger };
  const outside = new KafkaTransport(options, () => undefined);
  return {
    gateway,
    keys,
    simulator,
    outside,
    async stop() {
      await http.drain();
      for (const step of gateway.stopSteps) await step.stop();
      await http.close();
      await outside.close();
      await simulator.stop();
      await deleteTopics(topics.map(({ name }) => topicPrefix + name));
      await database.drop();
      remove();
    },
  };
}

let service: Awaited<ReturnType<typeof running>>;
beforeAll(async () => {
  service = await running();
}, 120_000);
afterAll(() => service.stop(), 60_000);

async function authorization(transferId: string): Promise<OutgoingRecord> {
  const accountId = uuidv7();
  const value = {
    accountId,
    amountCents: 15_000,
    after: 'authorized',
    payee: await service.keys.seal(cpf),
    sendBefore: instantToWire((systemClock.now() + 900_000) as ReturnType<typeof systemClock.now>),
  };
  return {
    topic: ledgerEvents.name,
    partition: partitionOf(accountId),
    key: accountId,
    value: JSON.stringify(value),
    headers: encodeHeaders({
      id: uuidv7(),
      source: ledgerEvents.source,
      type: ledgerPayoutAuthorizedV1.type,
      subject: transferId,
      time: instantToWire(systemClock.now()),
      sequence: 2,
    }),
  };
}

/** First appearances: the relay may say the same event twice. */
async function published(subject: string): Promise<string[]> {
  const words = new Map<string, string>();
  await service.outside.readAll(payoutEvents.name, async ({ records }) => {
    for (const { headers } of records) {
      const text = (name: string) => headerText(headers, name) ?? '';
      if (text('ce_subject') !== subject || words.has(text('ce_id'))) continue;
      words.set(text('ce_id'), `${text('ce_sequence')} ${text('ce_type')}`);
    }
  });
  return [...words.values()];
}

const untilPublished = (id: string, type: string) =>
  eventually(
    async () => {
      const words = await published(id);
      return words.some((word) => word.endsWith(type)) ? words : undefined;
    },
    { withinMs: 60_000, because: `${type} of ${id} is on the topic` },
  );

it('an authorisation on the topic becomes a payment, and its proof is on the topic', async () => {
  const id = uuidv7();
  await service.outside.publish([await authorization(id)]);
  const words = await untilPublished(id, 'payout.confirmed.v1');
  expect(words[0]).toBe('1 compasso.payout.submitted.v1');
  expect(words.at(-1)).toMatch(/payout\.confirmed\.v1$/);
  expect(await service.simulator.orderCount(id)).toBe(1);
}, 90_000);

it('the same record again, under the same id and under another, changes nothing', async () => {
  const id = uuidv7();
  const record = await authorization(id);
  await service.outside.publish([record]);
  await untilPublished(id, 'payout.confirmed.v1');
  const before = await published(id);
  const again = { ...record, headers: { ...record.headers, ce_id: uuidv7() } };
  // The last one tells that those before it were handled: one partition, one order.
  const marker = uuidv7();
  const after = await authorization(marker);
  const last = { ...record, value: after.value.replace(after.key, record.key), headers: after.headers };
  await service.outside.publish([record, again, last]);
  await untilPublished(marker, 'payout.confirmed.v1');
  expect(await published(id)).toEqual(before);
  expect((await service.simulator.callsOf(id)).filter(({ method }) => method === 'PUT')).toHaveLength(1);
}, 90_000);

it('is ready: consumers, relay and worker make progress', () => {
  const checks = service.gateway.checks.map(({ name, check }) => [name, check().ok]);
  expect(checks).toEqual([
    ['consumers', true],
    ['relay', true],
    ['payout-worker', true],
  ]);
});
