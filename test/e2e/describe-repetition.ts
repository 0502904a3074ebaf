// History again: every record of every topic once more, twice; and the tracker's views folded anew, beside the old ones
// and in an empty database. Nothing that anybody can see may change.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { allTopics } from '@compasso/contracts';
import { eventually } from '@compasso/testing';
import type { IHeaders, Message } from 'kafkajs';
import pg from 'pg';
import { repository } from '../../tools/system/run-directory.ts';
import { runningSources } from '../../tools/verify/running-sources.ts';
import { topicRecords, type TopicRecord } from '../../tools/verify/topic-facts.ts';
import { allHold, verdictsOf } from './invariants.ts';
import { publicAnswers } from './public-answers.ts';
import type { Stage } from './stage.ts';

const withinMs = 180_000;
/** Below the broker's limit for one request. */
const messagesPerSend = 100;

export function describeRepetition(stage: () => Stage): void {
  describe('history again', () => {
    it('every record of every topic, produced twice more, changes nothing', async () => {
      const { clients, system } = stage();
      await stage().judge();
      const before = await publicAnswers(clients);
      const records = await topicRecords(runningSources(system.directory));
      for (let time = 0; time < 2; time += 1) await produceAgain(records, stage());
      const { invariants, moving } = await stage().judge();
      expect(moving).toEqual([]);
      expect(await publicAnswers(clients)).toEqual(before);
      expect(verdictsOf(invariants)).toEqual(allHold);
    }, withinMs);

    it('a rebuild beside the live views shows the same', async () => {
      const { clients, system } = stage();
      const before = await publicAnswers(clients, { rebuilt: true });
      expect(await runTool('tools/rebuild.ts', '--directory', system.directory)).toBe(0);
      const { invariants } = await stage().judge();
      expect(await publicAnswers(clients, { rebuilt: true })).toEqual(before);
      expect(verdictsOf(invariants)).toEqual(allHold);
    }, withinMs);

    it('an emptied tracker database fills again to the same views', async () => {
      const { clients, system } = stage();
      const before = await publicAnswers(clients, { rebuilt: true });
      const pids = system.processes().filter(({ name }) => name === 'transfer-tracker');
      await emptyDatabase(system.databaseUrls['transfer-tracker']);
      for (const { replica } of pids) system.kill('transfer-tracker', replica, 'SIGKILL');
      for (const { replica, pid } of pids) await system.waitRestarted('transfer-tracker', replica, pid);
      await eventually(
        async () => {
          expect(await publicAnswers(clients, { rebuilt: true })).toEqual(before);
          return true;
        },
        { because: 'the tracker shows what it showed before', withinMs: 90_000 },
      );
    }, withinMs);
  });
}

async function produceAgain(records: readonly TopicRecord[], { clients, system }: Stage): Promise<void> {
  for (const { name } of allTopics(runningSources(system.directory))) {
    const messages = records.filter(({ topic }) => topic.name === name).map(messageOf);
    for (let from = 0; from < messages.length; from += messagesPerSend) {
      await clients.team.send(messages.slice(from, from + messagesPerSend), name);
    }
  }
}

function messageOf({ raw, fact }: TopicRecord): Message {
  return {
    partition: fact.partition,
    key: raw.key === null ? null : Buffer.from(raw.key),
    value: raw.value === null ? null : Buffer.from(raw.value),
    headers: raw.headers as IHeaders,
  };
}

async function runTool(tool: string, ...given: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ['--conditions=@compasso/source', join(repository, tool), ...given], {
    stdio: ['ignore', 2, 2],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Everything that the tracker had, its migrations too. */
async function emptyDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('drop owned by current_user cascade');
  } finally {
    await client.end();
  }
}
