// The supervisor with real Kafka and Postgres and no services: how it starts, restarts and ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@compasso/testing';
import pg from 'pg';
import { silentLog } from '../../infra/log.ts';
import { identityOf, isRunning, type ProcessIdentity } from '../../infra/process-identity.mjs';
import { openSystem, startDetachedSystem, stopDetachedSystem } from './detached-system.ts';
import { connectKafka } from './kafka-connection.ts';
import { serviceNames } from './names.ts';
import { reportOn } from './report.ts';
import { runDirectory, supervisorOf } from './run-directory.ts';
import { startSystem, type System } from './system.ts';

const withinMs = 300_000;
const replicas = { ledger: 0, 'payout-gateway': 0, 'transfer-tracker': 0, 'provider-simulator': 0 };

function setup() {
  const directory = mkdtempSync(join(tmpdir(), 'compasso-system-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

async function topicsOf({ brokers }: System): Promise<string[]> {
  const admin = connectKafka({ KAFKA_BROKERS: brokers }, 'spec').admin();
  await admin.connect();
  const topics = await admin.listTopics();
  await admin.disconnect();
  return topics;
}

async function ledgerQuery({ databaseUrls }: System, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrls.ledger });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

function identitiesOf(system: System): ProcessIdentity[] {
  return system.processes().flatMap(({ pid }) => identityOf(pid) ?? []);
}

describe('a system in this process', () => {
  it(
    'runs once, brings Kafka and Postgres back with their data, and leaves nothing',
    async () => {
      const { directory, remove } = setup();
      const system = await startSystem({
        directory,
        replicas,
        stopOnSignals: false,
        log: silentLog,
      });
      await system.waitReady();
      const second = startSystem({ directory, replicas, stopOnSignals: false, log: silentLog });
      await expect(second).rejects.toMatchObject({ code: 'system_running' });
      const topics = await topicsOf(system);
      expect(topics).toContain('pix.ledger-events.v1');
      await ledgerQuery(system, "create table kept as select 'here' as word");

      for (const name of ['kafka', 'postgres'] as const) {
        const killed = system.kill(name, 1, 'SIGKILL');
        expect(await system.waitRestarted(name, 1, killed)).not.toBe(killed);
      }
      expect(await topicsOf(system)).toEqual(topics);
      expect(await ledgerQuery(system, 'select word from kept')).toEqual([{ word: 'here' }]);

      const all = identitiesOf(system);
      expect(all).toHaveLength(2);
      await system.stop();
      expect(all.filter(isRunning)).toEqual([]);
      remove();
    },
    withinMs,
  );
});

describe('a system in the background', () => {
  it(
    'is started once, however often it is asked for, and found again by others',
    async () => {
      const { directory, remove } = setup();
      const [one, two] = await Promise.all([
        startDetachedSystem({ directory, replicas }, silentLog),
        startDetachedSystem({ directory, replicas }, silentLog),
      ]);
      expect([one, two].filter(({ wasRunning }) => !wasRunning)).toHaveLength(1);
      expect(two.system.processes()).toEqual(one.system.processes());
      const report = await reportOn(runDirectory(directory));
      expect(report).toMatchObject({ running: true, phase: 'ready', brokers: one.system.brokers });
      expect(Object.keys(report.addresses)).toEqual([...serviceNames]);

      const all = identitiesOf(one.system);
      expect(await stopDetachedSystem(directory)).toBe(true);
      expect(all.filter(isRunning)).toEqual([]);
      expect(await stopDetachedSystem(directory)).toBe(false);
      remove();
    },
    withinMs,
  );

  it(
    'whose supervisor was killed is cleaned up by the next start, and keeps its data',
    async () => {
      const { directory, remove } = setup();
      const { system } = await startDetachedSystem({ directory, replicas }, silentLog);
      await ledgerQuery(system, "create table kept as select 'here' as word");
      const left = identitiesOf(system);
      process.kill(supervisorOf(runDirectory(directory))?.pid ?? 0, 'SIGKILL');
      await eventually(() => supervisorOf(runDirectory(directory)) === undefined, {
        because: 'the supervisor is dead',
      });
      expect(left.filter(isRunning)).toEqual(left);
      expect(() => openSystem(directory)).toThrow(/no system is running/);

      const again = await startDetachedSystem({ directory, replicas }, silentLog);
      expect(again.wasRunning).toBe(false);
      expect(left.filter(isRunning)).toEqual([]);
      expect(await ledgerQuery(again.system, 'select word from kept')).toEqual([{ word: 'here' }]);
      await again.system.stop();
      remove();
    },
    withinMs,
  );
});
