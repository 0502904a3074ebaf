// The ledger as its process composes it: from environment variables, on real Postgres and real
// Kafka.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  allTopics,
  deadLettersOf,
  headerText,
  ledgerEvents,
  partitionOf,
  payoutEvents,
} from '@compasso/contracts';
import { KafkaTransport } from '@compasso/messaging';
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
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { uuidv7 } from 'uuidv7';
import { scopes, transferTo } from './http/ledger-http.story.ts';
import type { Message } from './kafka/batches.story.ts';
import { confirmed, rejected, requested, requests } from './kafka/ledger-world.story.ts';
import { type LedgerConfig, ledgerSchema } from './ledger.config.ts';
import { composeLedger, isTransient } from './ledger.ts';

const logger = createLogger({ service: 'ledger', replica: '1', level: 'silent' });

async function keyFiles() {
  const directory = mkdtempSync(join(tmpdir(), 'ledger-'));
  const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const sealing = await generateKeyPair('ECDH-ES', { crv: 'P-256' });
  const write = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const setOf = async (key: Parameters<typeof exportJWK>[0]) =>
    JSON.stringify({ keys: [await exportJWK(key)] });
  const signed = new SignJWT({ scope: scopes, accounts: ['*'] })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('https://compasso.local')
    .setAudience('compasso')
    .setSubject('shop')
    .setExpirationTime('10m');
  return {
    authJwks: write('auth-jwks.json', await setOf(signing.publicKey)),
    payeeJwks: write('payee-jwks.json', await setOf(sealing.publicKey)),
    fingerprint: write('payee-fingerprint.key', Buffer.alloc(32, 7).toString('base64url')),
    token: await signed.sign(signing.privateKey),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

type Keys = Awaited<ReturnType<typeof keyFiles>>;

const configOf = (keys: Keys, databaseUrl: string, topicPrefix: string) =>
  parseConfig(ledgerSchema, {
    HTTP_PORT: '0',
    MANAGEMENT_PORT: '0',
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: testBrokers().join(','),
    TOPIC_PREFIX: topicPrefix,
    AUTH_JWKS_FILE: keys.authJwks,
    PAYEE_JWKS_FILE: keys.payeeJwks,
    PAYEE_FINGERPRINT_KEY_FILE: keys.fingerprint,
    LEDGER_TEAM_ACCOUNTS: '{"acme":["*"]}',
  });

async function startedLedger(config: LedgerConfig) {
  const ledger = await composeLedger({ config, logger, onFatal: () => undefined });
  const http = await startHttp({
    module: ledger.module,
    host: config.httpHost,
    port: config.httpPort,
    logger,
    telemetry: { http: httpObserver },
    readiness: new ReadinessRegistry(),
    verifier: createTokenVerifier(config),
    isTransient,
    beforeListen: (app) => void app.connectMicroservice({ strategy: ledger.messaging.strategy }),
  });
  await ledger.messaging.start(new AbortController().signal);
  await http.app.startAllMicroservices();
  return { ledger, http };
}

const askWith =
  (url: string, token: string) =>
  async (method: string, path: string, call: { key?: string; body?: object } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(call.key === undefined ? {} : { 'idempotency-key': call.key }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

/** Another team, the gateway, and whoever reads what the ledger says. */
function outsiders(topicPrefix: string) {
  const settings = { brokers: testBrokers(), clientId: 'outside', topicPrefix, logger };
  const transport = new KafkaTransport(settings, () => undefined);
  return {
    publish: (topic: string, ...messages: readonly Message[]) =>
      transport.publish(
        messages.map((one) => ({ ...one, topic, partition: partitionOf(one.key) })),
      ),
    recordsOf: async (topic: string) => {
      const records: { subject: string; type: string; sequence: number }[] = [];
      await transport.readAll(topic, async (batch) => {
        for (const { headers } of batch.records) {
          const text = (name: string) => headerText(headers, name) ?? '';
          const sequence = Number(text('ce_sequence'));
          records.push({ subject: text('ce_subject'), type: text('ce_type'), sequence });
        }
      });
      return records;
    },
    close: () => transport.close(),
  };
}

async function runningLedger() {
  const keys = await keyFiles();
  const database = await privateDatabase([]);
  const topicPrefix = privatePrefix();
  const topics = allTopics({ requestTeams: ['acme'] });
  await createTopics(topicPrefix, topics);
  const { ledger, http } = await startedLedger(configOf(keys, database.url, topicPrefix));
  const { publish, recordsOf, close } = outsiders(topicPrefix);
  return {
    ledger,
    ask: askWith(http.url, keys.token),
    publish,
    recordsOf,
    async stop() {
      await http.drain();
      for (const step of ledger.stopSteps) await step.stop();
      await http.close();
      await close();
      await deleteTopics(topics.map(({ name }) => topicPrefix + name));
      await database.drop();
      keys.remove();
    },
  };
}

let running: Awaited<ReturnType<typeof runningLedger>>;
let accountId: string;

beforeAll(async () => {
  running = await runningLedger();
  accountId = uuidv7();
  const limits = { perTransferCents: 1_000_000, dayCents: 1_000_000, nightCents: 1_000_000 };
  await running.ask('POST', '/v1/accounts', {
    key: accountId,
    body: { holderKind: 'legal', limits },
  });
  const deposit = { key: uuidv7(), body: { amountCents: 100_000 } };
  await running.ask('POST', `/v1/accounts/${accountId}/deposits`, deposit);
});
afterAll(() => running.stop());

const wordsOf = async (subject: string) =>
  (await running.recordsOf(ledgerEvents.name))
    .filter((record) => record.subject === subject)
    .map(({ type, sequence }) => `${sequence} ${type}`);
const stateOf = async (transferId: string) =>
  (await running.ask('GET', `/v1/transfers/${transferId}`)).body['state'];

it('publishes what was decided over HTTP, and settles on the gateway’s proof', async () => {
  const transfer = { transferId: uuidv7(), accountId };
  const call = { key: transfer.transferId, body: transferTo(accountId) };
  expect(await running.ask('POST', '/v1/transfers', call)).toMatchObject({ status: 202 });
  await running.publish(payoutEvents.name, confirmed(transfer));
  await eventually(async () => (await stateOf(transfer.transferId)) === 'settled', {
    because: 'proof of paid settles',
  });
  const words = await eventually(
    async () => {
      const said = await wordsOf(transfer.transferId);
      return said.length === 3 && said;
    },
    { because: 'all three events reach the topic' },
  );
  expect(words).toEqual([
    '1 compasso.ledger.funds-reserved.v1',
    '2 compasso.ledger.payout-authorized.v1',
    '3 compasso.ledger.transfer-settled.v1',
  ]);
});

it('decides requests of a topic, goes on behind a bad one, and releases on proof of not paid', async () => {
  const transfer = { transferId: uuidv7(), accountId };
  const bad = { ...requested(transfer), value: 'not JSON' };
  await running.publish(requests.name, bad, requested(transfer));
  await eventually(async () => (await stateOf(transfer.transferId)) === 'authorized', {
    because: 'the request behind the bad one is decided',
  });
  await running.publish(payoutEvents.name, rejected(transfer));
  await eventually(async () => (await stateOf(transfer.transferId)) === 'released', {
    because: 'proof of not paid releases',
  });
  const notices = await eventually(
    async () => {
      const said = await running.recordsOf(deadLettersOf('ledger').name);
      return said.length > 0 && said;
    },
    { because: 'the bad record is told on the topic of dead letters' },
  );
  expect(notices).toMatchObject([{ type: 'compasso.dead-letter.opened.v1' }]);
});

it('is well: consumers are heard from and the relay gets rid of its rows', async () => {
  const checks = running.ledger.messaging.checks;
  await eventually(() => checks.every(({ check }) => check().ok), {
    because: 'every check passes',
  });
  expect((await running.ask('GET', '/v1/books')).body).toMatchObject({
    sumCents: 0,
    violations: [],
  });
});
