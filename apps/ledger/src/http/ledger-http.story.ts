// The ledger's real HTTP door on a private database: real tokens, real Fastify, real Postgres, no
// Kafka.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { centsOf } from '@compasso/kernel';
import {
  alwaysLeader,
  composeShell,
  eventLogTable,
  MemoryBroker,
  MemoryTransport,
  PostgresUnitOfWork,
  type ServiceShell,
} from '@compasso/messaging';
import { createLogger, httpObserver } from '@compasso/observability';
import { createTokenVerifier, type HttpApp, ReadinessRegistry, startHttp } from '@compasso/runtime';
import { type PrivateDatabase, privateDatabase } from '@compasso/testing';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { uuidv7 } from 'uuidv7';
import { fingerprintsWith } from '../fingerprint.ts';
import { ledgerDefinition, type LedgerParts } from '../ledger.definition.ts';
import { LedgerModule } from '../ledger.module.ts';
import { isTransient } from '../ledger.ts';
import { BooksQueries } from '../postgres/books-queries.ts';
import { LedgerQueries } from '../postgres/ledger-queries.ts';
import { ledgerMigrations } from '../postgres/migrations.ts';
import { decideTogether } from './decide-together.ts';
import { payeeSealer } from './payee-sealer.ts';

// A database of its own and a server take their time on a busy machine.
jest.setTimeout(120_000);

export const scopes =
  'accounts:write accounts:block deposits:write transfers:write transfers:read accounts:read books:read';
const issuer = { authIssuer: 'https://compasso.local', authAudience: 'compasso' };

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface Call {
  readonly body?: unknown;
  /** The body as it stands, for what no serialiser would write. */
  readonly raw?: string;
  readonly key?: string;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
}

export interface LedgerHttp {
  readonly database: PrivateDatabase;
  readonly shell: ServiceShell;
  readonly parts: LedgerParts;
  readonly unitOfWork: PostgresUnitOfWork;
  readonly logged: () => readonly Record<string, unknown>[];
  readonly mint: (claims?: JWTPayload, expiresIn?: string) => Promise<string>;
  readonly post: (path: string, call?: Call) => Promise<Answer>;
  readonly get: (path: string, call?: Call) => Promise<Answer>;
  readonly put: (path: string, call?: Call) => Promise<Answer>;
  readonly openAccount: (availableCents?: number, limits?: object) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function ledgerHttp(changes: Partial<LedgerParts> = {}): Promise<LedgerHttp> {
  const directory = mkdtempSync(join(tmpdir(), 'ledger-'));
  const database = await privateDatabase(ledgerMigrations);
  const unitOfWork = new PostgresUnitOfWork(database.hot);
  const parts: LedgerParts = {
    newId: uuidv7,
    night: { from: 20 * 60, until: 6 * 60 },
    raiseLimitsAfterMs: 86_400_000,
    policy: { fee: centsOf(0), sendWithinMs: 900_000 },
    onContradiction: () => undefined,
    teams: [{ name: 'acme', mayDebit: () => true }],
    fingerprints: fingerprintsWith(Buffer.alloc(32, 7)),
    ...changes,
  };
  const shell = shellOn(unitOfWork, parts);
  const keys = await keysIn(directory);
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const http = await startHttp({
    module: LedgerModule.with({
      decide: decideTogether(shell.executor, parts),
      fingerprints: parts.fingerprints,
      sealer: payeeSealer(keys.payeeJwks),
      queries: new LedgerQueries(database.reads),
      books: new BooksQueries(database.reads),
    }),
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'ledger', replica: '1', level: 'info', destination }),
    telemetry: { http: httpObserver },
    readiness: new ReadinessRegistry(),
    verifier: createTokenVerifier({ ...issuer, authJwksFile: keys.authJwks }),
    isTransient,
  });
  const token = await keys.mint();
  const post = (path: string, call: Call = {}) =>
    ask(http, { method: 'POST', path, token, ...call });
  return {
    database,
    shell,
    parts,
    unitOfWork,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    mint: keys.mint,
    post,
    get: (path, call = {}) => ask(http, { method: 'GET', path, token, ...call }),
    put: (path, call = {}) => ask(http, { method: 'PUT', path, token, ...call }),
    openAccount: (availableCents, limits) => openAccount(post, availableCents, limits),
    async close() {
      await http.close();
      await database.drop();
      rmSync(directory, { recursive: true });
    },
  };
}

const shellOn = (unitOfWork: PostgresUnitOfWork, parts: LedgerParts): ServiceShell =>
  composeShell(ledgerDefinition(parts), {
    unitOfWork,
    transport: new MemoryTransport(new MemoryBroker()),
    leadership: alwaysLeader,
    newId: uuidv7,
    // The database's own queueing is the pause: a retry re-reads at once.
    pauseBeforeRetry: async () => undefined,
    observe: () => undefined,
    wake: () => undefined,
  });

async function keysIn(directory: string) {
  const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const sealing = await generateKeyPair('ECDH-ES', { crv: 'P-256' });
  const authJwks = join(directory, 'auth-jwks.json');
  const payeeJwks = join(directory, 'payee-jwks.json');
  writeFileSync(
    authJwks,
    JSON.stringify({ keys: [{ ...(await exportJWK(signing.publicKey)), alg: 'EdDSA' }] }),
  );
  writeFileSync(payeeJwks, JSON.stringify({ keys: [await exportJWK(sealing.publicKey)] }));
  const mint = (claims: JWTPayload = {}, expiresIn = '5m'): Promise<string> =>
    new SignJWT({ scope: scopes, accounts: ['*'], ...claims })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer(issuer.authIssuer)
      .setAudience(issuer.authAudience)
      .setSubject('shop')
      .setExpirationTime(expiresIn)
      .sign(signing.privateKey);
  return { authJwks, payeeJwks, mint };
}

async function ask(
  http: HttpApp,
  call: Call & { readonly method: string; readonly path: string },
): Promise<Answer> {
  const { method, path, body, raw, key, token, headers } = call;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(`${http.url}${path}`, {
    method,
    headers: {
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    text,
    body: JSON.parse(text) as Record<string, unknown>,
  };
}

async function openAccount(
  post: LedgerHttp['post'],
  availableCents = 100_000,
  limits: object = {},
): Promise<string> {
  const accountId = uuidv7();
  const wide = { perTransferCents: 1_000_000, dayCents: 1_000_000, nightCents: 1_000_000 };
  const body = { holderKind: 'natural', limits: { ...wide, ...limits } };
  expect(await post('/v1/accounts', { key: accountId, body })).toMatchObject({ status: 201 });
  if (availableCents === 0) return accountId;
  const deposit = { key: uuidv7(), body: { amountCents: availableCents } };
  expect(await post(`/v1/accounts/${accountId}/deposits`, deposit)).toMatchObject({ status: 201 });
  return accountId;
}

export const transferTo = (accountId: string, changes: object = {}) => ({
  accountId,
  amountCents: 1_000,
  payee: { kind: 'key', keyType: 'email', key: 'ana@example.com' },
  ...changes,
});

/** Everything that was ever written that money or callers could notice. */
export async function eventsOf({ unitOfWork }: LedgerHttp) {
  const rows = await unitOfWork.run((transaction) =>
    transaction.oldest(eventLogTable, { column: 'occurredAt', limit: 10_000 }),
  );
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }));
}
