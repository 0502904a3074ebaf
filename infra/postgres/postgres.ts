// A real Postgres for a machine without Docker, from the binaries in an npm package. Starting again
// on the same directory keeps all data, after a clean stop and after a kill of the postmaster
// alone.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import pg from 'pg';
import { endLeftover, logTail, type RunningChild, startChild } from '../child.ts';
import type { SystemUser } from '../directories.ts';
import type { Log } from '../log.ts';
import { claimPort, loopback } from '../ports.ts';
import { until } from '../until.ts';
import { postgresBinaries } from './binaries.ts';
import { type Cluster, prepareCluster, serverEnvironment, superuser } from './cluster.ts';
import { clearOrphans } from './orphans.ts';
import { dataPlace } from './place.ts';
import { serverUser } from './server-user.ts';

export type PostgresOptions = {
  readonly directory: string;
  /** Without it the first free one of the default range is taken. */
  readonly port?: number;
  readonly log: Log;
  /** Server settings beside or instead of ours, by their names in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type RunningPostgres = RunningChild & {
  readonly superuserUrl: string;
  readonly port: number;
};

export const postgresPortFirst = 15_432;
const startWithinMs = 180_000;
const attemptsMax = 40;
const attemptPauseMs = 250;

const ownSettings = {
  listen_addresses: loopback,
  // Sockets would need a path that is short and that both users can reach.
  unix_socket_directories: '',
  fsync: 'on',
  synchronous_commit: 'on',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const user = serverUser();
  const { initdb, postgres } = await postgresBinaries(user);
  const place = dataPlace(options.directory, user);
  await endLeftover(pidFileIn(options.directory));
  const settings = { ...ownSettings, ...options.settings };
  const durable = settings.fsync === 'on';
  const cluster = await prepareCluster(place, { initdb, user, durable, signal: options.signal });
  const claim = options.port === undefined ? await claimPort(postgresPortFirst) : undefined;
  const port = options.port ?? claim?.port ?? postgresPortFirst;
  try {
    const account = `${superuser}:${cluster.superuserPassword}`;
    const superuserUrl = `postgres://${account}@${loopback}:${port}/postgres`;
    const start = {
      command: postgres,
      user,
      cluster,
      settings: { ...settings, port: String(port) },
      superuserUrl,
    };
    const server = await startServer(options, start);
    void server.exited.then(() => claim?.release());
    return { ...server, port, superuserUrl };
  } catch (error) {
    claim?.release();
    throw error;
  }
}

type Start = {
  readonly command: string;
  readonly user: SystemUser | undefined;
  readonly cluster: Cluster;
  readonly settings: Readonly<Record<string, string>>;
  readonly superuserUrl: string;
};

// While backends of a killed postmaster live, their shared memory keeps a new one out: it is tried
// again.
async function startServer(options: PostgresOptions, start: Start): Promise<RunningChild> {
  const logFile = join(options.directory, 'postgres.log');
  let attempt = 0;
  return until(
    async () => {
      attempt += 1;
      await clearOrphans(start.cluster.data);
      const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
      const server = await spawnServer(options, start, logFile);
      if (await acceptsConnections(server, start.superuserUrl, options.signal)) return server;
      const said = logTail(logFile, logStart);
      if (attempt < attemptsMax && isHeldByPredecessor(said)) return undefined;
      throw new CodedError(
        'postgres_exited',
        `Postgres stopped while it started, see ${logFile}:\n${said}`,
      );
    },
    {
      what: 'Postgres to start',
      withinMs: startWithinMs,
      everyMs: attemptPauseMs,
      signal: options.signal,
    },
  );
}

async function spawnServer(
  options: PostgresOptions,
  start: Start,
  logFile: string,
): Promise<RunningChild> {
  return startChild({
    command: start.command,
    arguments: [
      '-D',
      start.cluster.data,
      ...Object.entries(start.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    environment: serverEnvironment(),
    workingDirectory: '/',
    user: start.user,
    logFile,
    pidFile: pidFileIn(options.directory),
    // Fast shutdown: sessions are ended, and nothing is lost.
    stopSignal: 'SIGINT',
    stopGraceMs: 20_000,
  });
}

/** @returns false when the server has ended instead. */
async function acceptsConnections(
  server: RunningChild,
  url: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let hasExited = false;
  void server.exited.then(() => (hasExited = true));
  try {
    return await until(async () => hasExited || (await canConnect(url)), {
      what: 'Postgres to accept connections',
      withinMs: startWithinMs,
      everyMs: 30,
      signal,
    }).then(() => !hasExited);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

function isHeldByPredecessor(said: string): boolean {
  return (
    said.includes('pre-existing shared memory block') ||
    said.includes('"postmaster.pid" already exists')
  );
}

function pidFileIn(directory: string): string {
  return join(directory, 'postgres.pid.json');
}
