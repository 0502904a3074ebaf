import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { silentLog } from '../log.ts';
import { dataPlace } from './place.ts';
import { type PostgresOptions, startPostgres } from './postgres.ts';
import { provisionDatabases } from './provision.ts';
import { serverUser } from './server-user.ts';

const startsWithinMs = 300_000;
const services = ['ledger', 'payout-gateway'] as const;

function setup() {
  const directory = mkdtempSync(join(tmpdir(), 'compasso-postgres-'));
  const options: PostgresOptions = { directory, log: silentLog };
  const passwordFile = join(directory, 'passwords.json');
  const remove = () => {
    rmSync(dataPlace(directory, serverUser()), { recursive: true, force: true });
    rmSync(directory, { recursive: true, force: true });
  };
  return { directory, options, passwordFile, remove };
}

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  // The server is killed under its clients here.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = await connected(url);
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('Postgres on a bare machine', () => {
  it(
    'keeps what was committed when its postmaster alone is killed, whatever its backends do',
    async () => {
      const { options, remove } = setup();
      const first = await startPostgres(options);
      // Committed means on the disk.
      expect(await query(first.superuserUrl, 'show fsync')).toEqual([{ fsync: 'on' }]);
      expect(await query(first.superuserUrl, 'show synchronous_commit')).toEqual([
        { synchronous_commit: 'on' },
      ]);
      await query(
        first.superuserUrl,
        "create table kept (word text); insert into kept values ('committed')",
      );
      const busy = await connected(first.superuserUrl);
      // Never looks up from its work, so it does not notice that the postmaster is gone.
      const work = busy
        .query('select count(*) from generate_series(1, 100000000000)')
        .catch((error: Error) => error);
      first.kill('SIGKILL');
      await first.exited;

      const second = await startPostgres({ ...options, port: first.port });
      expect(second.superuserUrl).toBe(first.superuserUrl);
      expect(await query(second.superuserUrl, 'select word from kept')).toEqual([
        { word: 'committed' },
      ]);
      expect(await work).toBeInstanceOf(Error);
      await second.stop();
      remove();
    },
    startsWithinMs,
  );

  it(
    'starts beside a pid file whose pid belongs to somebody else now',
    async () => {
      const { directory, options, remove } = setup();
      const first = await startPostgres(options);
      const pidFile = join(dataPlace(directory, serverUser()), 'data', 'postmaster.pid');
      const content = readFileSync(pidFile, 'utf8');
      await first.stop();
      writeFileSync(pidFile, content.replace(/^\d+/, String(process.pid)));
      const second = await startPostgres({ ...options, port: first.port });
      await second.stop();
      remove();
    },
    startsWithinMs,
  );
});

describe('the database of a service', () => {
  it(
    'is made once, and its role may make tables there and enter no other',
    async () => {
      const { options, passwordFile, remove } = setup();
      const server = await startPostgres(options);
      const urls = await provisionDatabases(server.superuserUrl, services, { passwordFile });
      await query(urls.ledger, 'create table account (id uuid)');
      expect(await provisionDatabases(server.superuserUrl, services, { passwordFile })).toEqual(
        urls,
      );
      expect(await query(urls.ledger, 'select count(*)::int as count from account')).toEqual([
        { count: 0 },
      ]);

      for (const other of ['payout_gateway', 'postgres', 'template1']) {
        const elsewhere = Object.assign(new URL(urls.ledger), { pathname: `/${other}` }).href;
        await expect(connected(elsewhere)).rejects.toThrow(/permission denied for database/);
      }
      await expect(query(urls.ledger, 'create role intruder')).rejects.toThrow(/permission denied/);
      await expect(query(urls.ledger, 'create database more')).rejects.toThrow(/permission denied/);
      await server.stop();
      remove();
    },
    startsWithinMs,
  );
});
