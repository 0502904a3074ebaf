// The tracker's real HTTP API on a private database: real tokens, real Fastify, real Postgres; topics in memory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryBroker, PostgresUnitOfWork } from '@compasso/messaging';
import { createLogger, httpObserver } from '@compasso/observability';
import { createTokenVerifier, ReadinessRegistry, startHttp } from '@compasso/runtime';
import { privateDatabase } from '@compasso/testing';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { CaseQueries } from '../postgres/case-queries.ts';
import { trackerMigrations } from '../postgres/migrations.ts';
import { TransferQueries } from '../postgres/transfer-queries.ts';
import { trackerOver } from '../tracker-world.fixture.ts';
import { TransferTrackerModule } from '../transfer-tracker.module.ts';

const issuer = { authIssuer: 'https://compasso.local', authAudience: 'compasso' };

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Record<string, unknown>;
}

export async function trackerHttp() {
  const directory = mkdtempSync(join(tmpdir(), 'tracker-'));
  const database = await privateDatabase(trackerMigrations);
  const tracker = trackerOver(new PostgresUnitOfWork(database.hot), new MemoryBroker());
  const { jwksFile, mint } = await issuerIn(directory);
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const http = await startHttp({
    module: TransferTrackerModule.with({
      transfers: new TransferQueries(database.reads),
      cases: new CaseQueries(database.reads),
    }),
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'transfer-tracker', replica: '1', level: 'info', destination }),
    telemetry: { http: httpObserver },
    readiness: new ReadinessRegistry(),
    verifier: createTokenVerifier({ ...issuer, authJwksFile: jwksFile }),
  });
  const everything = await mint();
  return {
    tracker,
    database,
    mint,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    async get(path: string, token: string | null = everything): Promise<Answer> {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      const response = await fetch(`${http.url}${path}`, { headers: headers as Record<string, string> });
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        body: (await response.json()) as Record<string, unknown>,
      };
    },
    async close(): Promise<void> {
      await http.close();
      await database.drop();
      rmSync(directory, { recursive: true });
    },
  };
}

export type TrackerHttp = Awaited<ReturnType<typeof trackerHttp>>;

async function issuerIn(directory: string) {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'EdDSA', use: 'sig' };
  const jwksFile = join(directory, 'jwks.json');
  writeFileSync(jwksFile, JSON.stringify({ keys: [jwk] }));
  const mint = (claims: JWTPayload = {}, expiresIn = '1h'): Promise<string> =>
    new SignJWT({ sub: 'shop', scope: 'transfers:read cases:read', accounts: ['*'], ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'test' })
      .setIssuer(issuer.authIssuer)
      .setAudience(issuer.authAudience)
      .setExpirationTime(expiresIn)
      .sign(privateKey);
  return { jwksFile, mint };
}
