import { createLogger } from '@compasso/observability';
import { sqlMigration } from '@compasso/postgres';
import { type PrivateDatabase, privateDatabase } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import { MemoryBroker, MemoryTransport } from './memory/memory-transport.ts';
import { alwaysLeader } from './ports/leadership.ts';
import { messagingMigrations } from './postgres/migrations.ts';
import { PostgresUnitOfWork } from './postgres/postgres-unit-of-work.ts';
import { replayCommand } from './replay-command.ts';
import { StopTheProcess } from './shell/consume.ts';
import { composeShell } from './shell/service-shell.ts';
import { aLetter, confirmation, newSwitches, tallyDefinition, tallySql, tallyTable } from './shell/tally.fixture.ts';

const migrations = [...messagingMigrations, sqlMigration(1764500000019, 'Tally', tallySql)];
const logger = createLogger({ service: 'tests', replica: '1', level: 'silent' });
const opened: PrivateDatabase[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.drop()));
});

/** A service with a bug that has made the first of three messages dead. */
async function withADeadLetter() {
  const database = await privateDatabase(migrations);
  opened.push(database);
  const switches = newSwitches();
  switches.broken.add('first');
  const definition = tallyDefinition(switches);
  const unitOfWork = new PostgresUnitOfWork(database.hot);
  const shell = composeShell(definition, {
    unitOfWork,
    transport: new MemoryTransport(new MemoryBroker()),
    leadership: alwaysLeader,
    newId: uuidv7,
    pauseBeforeRetry: async () => undefined,
    observe: () => undefined,
    wake: () => undefined,
  });
  const letter = aLetter();
  const records = ['first', 'second', 'third'].map((evidence, at) => {
    const { key, value, headers, partition } = confirmation({ ...letter, evidence });
    const record = { offset: BigInt(at), timestamp: 0 as never, key: Buffer.from(key), value: Buffer.from(value), headers };
    return { partition, record };
  });
  const { partition } = records[0]!;
  const [subscriber] = shell.subscribers;
  const batch = { topic: subscriber!.topic, partition, records: records.map(({ record }) => record), highWatermark: 3n };
  for (let stops = 0; stops < 3; stops += 1) {
    await subscriber!.handle([batch], new AbortController().signal).catch((error: unknown) => {
      if (!(error instanceof StopTheProcess)) throw error;
    });
  }
  const run = async (...words: string[]) => {
    let said = '';
    const isDone = await replayCommand({
      definition,
      databaseUrl: database.url,
      migrations,
      words,
      logger,
      write: (text) => void (said += text),
    });
    return { isDone, said };
  };
  return { letter, switches, unitOfWork, run };
}

it('lists what waits without anything that a customer wrote', async () => {
  const { letter, run } = await withADeadLetter();
  const { isDone, said } = await run('--list', '--json');
  expect(isDone).toBe(true);
  expect(JSON.parse(said)).toMatchObject({
    service: 'ledger',
    letters: [{ reason: 'handling_failed_three_times', transferId: letter.transferId, waitingBehind: 2 }],
  });
  expect(said).not.toContain('endToEndId');
});

it('replays the head and what waits behind it once the cause is gone, and says so', async () => {
  const { letter, switches, unitOfWork, run } = await withADeadLetter();
  expect((await run('--all')).isDone).toBe(false);
  switches.broken.clear();
  const { isDone, said } = await run('--reason', 'handling_failed_three_times', '--json');
  expect(isDone).toBe(true);
  expect(JSON.parse(said)).toMatchObject({ results: [{ replayed: 3, remaining: 0 }] });
  const [row] = await unitOfWork.run((transaction) => transaction.read(tallyTable, [[letter.transferId]]));
  expect(row?.trail).toBe('first;second;third;');
  expect((await run('--list')).said).toBe('nothing waits\n');
});

it('replays nothing when nobody has said what', async () => {
  const { run } = await withADeadLetter();
  await expect(run()).rejects.toMatchObject({ code: 'replay_of_what' });
});
