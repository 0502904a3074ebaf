// The behaviour suite of the shell: the same guarantees over the twins in memory and over real Postgres and Kafka.
import { deadLettersOf, headerText, ledgerEvents, payoutEvents } from '@compasso/contracts';
import { eventually } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import { alwaysLeader } from '../ports/leadership.ts';
import type { RowOf, Table } from '../ports/table.ts';
import type { OutgoingRecord, ReceivedRecord, Subscription, Transport } from '../ports/transport.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { composeShell, groupOf, type ServiceShell } from './service-shell.ts';
import { StopTheProcess } from './consume.ts';
import { blockedTable, deadLetterTable, inboxTable, outboxTable, parkedTable, positionTable } from './tables.ts';
import {
  aLetter,
  badRequest,
  confirmation,
  futureVersion,
  type Letter,
  newSwitches,
  tallyDefinition,
  type TallySwitches,
  tallyTable,
  unknownEvent,
} from './tally.fixture.ts';

export interface ShellWorld {
  readonly unitOfWork: UnitOfWork;
  readonly transport: Transport;
  /** Every row of a table, for judging. */
  rowsOf<T extends Table>(table: T): Promise<readonly RowOf<T>[]>;
}

interface Bench extends ShellWorld {
  readonly shell: ServiceShell;
  readonly switches: TallySwitches;
  readonly subscriptions: readonly Subscription[];
  readonly stops: StopTheProcess[];
  /** Waits until the group has handled everything that was published. */
  drained(): Promise<void>;
  published(topic: string): Promise<readonly ReceivedRecord[]>;
}

async function start(world: ShellWorld): Promise<Bench> {
  const switches = newSwitches();
  const stops: StopTheProcess[] = [];
  const shell = composeShell(tallyDefinition(switches), {
    ...world,
    transport: catchingStops(world.transport, stops),
    leadership: alwaysLeader,
    newId: uuidv7,
    pauseBeforeRetry: async () => undefined,
    observe: () => undefined,
    wake: () => undefined,
  });
  const subscriptions = await shell.subscribeAll();
  const bench: Bench = {
    ...world,
    shell,
    switches,
    subscriptions,
    stops,
    drained: () => drained(world, shell),
    published: (topic) => allRecords(world.transport, topic),
  };
  return bench;
}

/** A process would end here and be started again; the suite notes the stop and lets the batch come again. */
function catchingStops(transport: Transport, stops: StopTheProcess[]): Transport {
  return {
    publish: (records) => transport.publish(records),
    offsets: (topic) => transport.offsets(topic),
    readAll: (topic, onBatch) => transport.readAll(topic, onBatch),
    close: () => transport.close(),
    subscribe: (subscriber) =>
      transport.subscribe({
        group: subscriber.group,
        topic: subscriber.topic,
        position: (partition) => subscriber.position(partition),
        async handle(batches, signal) {
          for (;;) {
            try {
              return await subscriber.handle(batches, signal);
            } catch (error) {
              if (!(error instanceof StopTheProcess)) throw error;
              stops.push(error);
            }
          }
        },
      }),
  };
}

async function drained(world: ShellWorld, shell: ServiceShell): Promise<void> {
  await eventually(
    async () => {
      // Read from the table: asking the subscriber is the transport's way to begin anew.
      const positions = await world.rowsOf(positionTable);
      for (const { group, topic } of shell.subscribers) {
        const own = positions.filter((row) => row.groupName === group && row.topic === topic);
        for (const { partition, first, next } of await world.transport.offsets(topic)) {
          const nextOffset = own.find((row) => row.partition === partition)?.nextOffset ?? first;
          if (nextOffset < next) return false;
        }
      }
      return true;
    },
    { because: 'every published record is handled' },
  );
}

async function allRecords(transport: Transport, topic: string): Promise<readonly ReceivedRecord[]> {
  const records: ReceivedRecord[] = [];
  await transport.readAll(topic, async (batch) => void records.push(...batch.records));
  return records;
}

const publishRound = async ({ shell }: Bench): Promise<void> => {
  while ((await shell.relay.round()).published > 0);
};

const tallyOf = async (bench: Bench, letter: Letter): Promise<RowOf<typeof tallyTable> | undefined> =>
  (await bench.rowsOf(tallyTable)).find((row) => row.transferId === letter.transferId);

export function describeShell(name: string, open: () => Promise<ShellWorld>): void {
  describe(`shell: ${name}`, () => {
    effectFeatures(open);
    deadLetterFeatures(open);
    parkingFeatures(open);
    bugFeatures(open);
    outboxFeatures(open);
  });
}

function effectFeatures(open: () => Promise<ShellWorld>): void {
  it('has one effect for a message that comes three times', async () => {
    const bench = await start(await open());
    const letter = aLetter({ id: uuidv7() });
    await bench.transport.publish([confirmation(letter), confirmation(letter)]);
    await bench.drained();
    await bench.transport.publish([confirmation(letter)]);
    await bench.drained();
    expect((await tallyOf(bench, letter))?.count).toBe(1);
    expect(await bench.rowsOf(outboxTable)).toHaveLength(1);
    expect(await bench.rowsOf(deadLetterTable)).toEqual([]);
  });

  it('reads everything again when its database was put back empty, and skips nothing', async () => {
    const bench = await start(await open());
    const letter = aLetter();
    await bench.transport.publish([confirmation(letter), confirmation(letter)]);
    await bench.drained();
    await bench.unitOfWork.run(async (transaction) => {
      const positions = await transaction.oldest(positionTable, { column: 'nextOffset', limit: 100 });
      await transaction.remove(positionTable, positions.map((row) => [row.groupName, row.topic, row.partition]));
      const seen = await transaction.oldest(inboxTable, { column: 'receivedAt', limit: 100 });
      await transaction.remove(inboxTable, seen.map((row) => [row.groupName, row.source, row.eventId]));
      await transaction.remove(tallyTable, [[letter.transferId]]);
    });
    await bench.transport.publish([confirmation(letter)]);
    await bench.drained();
    expect((await tallyOf(bench, letter))?.count).toBe(3);
  });

  it('handles hundreds of messages of one account in their order', async () => {
    const bench = await start(await open());
    const letter = aLetter();
    const letters = Array.from({ length: 300 }, (_, n) => ({ ...letter, evidence: `e${n}` }));
    await bench.transport.publish(letters.map((one) => confirmation(one)));
    await bench.drained();
    expect((await tallyOf(bench, letter))?.trail).toBe(letters.map(({ evidence }) => `${evidence};`).join(''));
  });

  it('passes over a type that it does not know, and keeps it', async () => {
    const bench = await start(await open());
    const letter = aLetter();
    await bench.transport.publish([unknownEvent(letter), confirmation(letter)]);
    await bench.drained();
    expect((await tallyOf(bench, letter))?.count).toBe(1);
    expect(bench.switches.others).toEqual(['compasso.payout.invented.v1']);
    expect((await bench.rowsOf(inboxTable)).map(({ verdict }) => verdict).sort()).toEqual(['applied', 'ignored']);
  });

  it('hands a readable command with bad data to the service, which answers it', async () => {
    const bench = await start(await open());
    const letter = aLetter();
    await bench.transport.publish([badRequest(letter)]);
    await bench.drained();
    expect(bench.switches.invalid.map(({ envelope }) => envelope.subject)).toEqual([letter.transferId]);
    expect(bench.switches.invalid[0]?.invalidFields).toEqual(expect.arrayContaining(['amountCents', 'payee']));
    expect(await bench.rowsOf(deadLetterTable)).toEqual([]);
  });
}

const spoilt: readonly (readonly [string, string, (letter: Letter) => OutgoingRecord])[] = [
  ['undecodable bytes', 'value_undecodable', (letter) => confirmation(letter, { value: '{"accountId":' })],
  ['a bare array', 'value_not_an_object', (letter) => confirmation(letter, { value: '[1]' })],
  ['deep nesting', 'value_too_deep', (letter) => confirmation(letter, { value: '['.repeat(40) + ']'.repeat(40) })],
  ['another major version', 'version_unsupported', (letter) => futureVersion(letter)],
  [
    'a foreign source',
    'source_foreign',
    (letter) => {
      const record = confirmation(letter);
      return { ...record, headers: { ...record.headers, ce_source: 'urn:compasso:ledger' } };
    },
  ],
  [
    'no id',
    'envelope_header_missing',
    (letter) => {
      const { ce_id: _, ...headers } = confirmation(letter).headers as Record<string, string>;
      return { ...confirmation(letter), headers };
    },
  ],
];

function deadLetterFeatures(open: () => Promise<ShellWorld>): void {
  it.each(spoilt)('sets %s aside with a reason and goes on', async (_, reason, spoil) => {
    const bench = await start(await open());
    const [bad, good] = [aLetter(), aLetter()];
    await bench.transport.publish([spoil(bad), confirmation(good)]);
    await bench.drained();
    const letters = await bench.rowsOf(deadLetterTable);
    expect(letters.map((row) => [row.reason, row.state])).toEqual([[reason, 'open']]);
    expect((await tallyOf(bench, good))?.count).toBe(1);
    await publishRound(bench);
    const notices = await bench.published(deadLettersOf('ledger').name);
    expect(notices).toHaveLength(1);
    expect(headerText(notices[0]!.headers, 'ce_id')).toBe(letters[0]!.caseId);
  });

  it('takes the same id with other content for what it is, not for a duplicate', async () => {
    const bench = await start(await open());
    const letter = aLetter({ id: uuidv7() });
    await bench.transport.publish([confirmation(letter), confirmation({ ...letter, evidence: 'other' })]);
    await bench.drained();
    expect((await tallyOf(bench, letter))?.trail).toBe('query;');
    const letters = await bench.rowsOf(deadLetterTable);
    expect(letters.map(({ reason }) => reason)).toEqual(['id_reused_with_other_content']);
  });

  it('changes nothing when a dead message is delivered again', async () => {
    const bench = await start(await open());
    const letter = aLetter({ id: uuidv7() });
    const bad = confirmation(letter, { value: '{}' });
    await bench.transport.publish([bad, bad]);
    await bench.drained();
    await bench.transport.publish([bad]);
    await bench.drained();
    expect(await bench.rowsOf(deadLetterTable)).toHaveLength(1);
  });
}

function parkingFeatures(open: () => Promise<ShellWorld>): void {
  it('parks what comes behind a dead message of the same transfer, and nothing else', async () => {
    const bench = await start(await open());
    const accountId = uuidv7();
    const [held, free] = [aLetter({ accountId }), aLetter({ accountId })];
    await bench.transport.publish([confirmation(held, { value: '{}' }), confirmation(held), confirmation(free)]);
    await bench.drained();
    await bench.transport.publish([confirmation(held)]);
    await bench.drained();
    expect(await tallyOf(bench, held)).toBeUndefined();
    expect((await tallyOf(bench, free))?.count).toBe(1);
    expect((await bench.rowsOf(blockedTable)).map(({ subject }) => subject)).toEqual([held.transferId]);
    expect(await bench.rowsOf(parkedTable)).toHaveLength(3);
    const verdicts = (await bench.rowsOf(inboxTable)).map(({ verdict }) => verdict);
    expect(verdicts.sort()).toEqual(['applied', 'dead', 'parked', 'parked']);
  });

  it('replays head and followers in order once the cause is gone, and unblocks', async () => {
    const bench = await start(await open());
    const letter = aLetter();
    bench.switches.broken.add('first');
    const trail = ['first', 'second', 'third'].map((evidence) => confirmation({ ...letter, evidence }));
    await bench.transport.publish(trail);
    await bench.drained();
    expect(bench.stops).toHaveLength(2);
    const [head] = await bench.rowsOf(deadLetterTable);
    const name = { group: groupOf('ledger', payoutEvents.name), topic: payoutEvents.name, partition: head!.partition, offset: head!.offset };
    expect(await bench.shell.replayer.replay(name)).toMatchObject({ replayed: 0, remaining: 3, failure: 'tally_broken' });
    bench.switches.broken.clear();
    expect(await bench.shell.replayer.replay(name)).toEqual({ replayed: 3, remaining: 0 });
    expect((await tallyOf(bench, letter))?.trail).toBe('first;second;third;');
    expect(await bench.rowsOf(blockedTable)).toEqual([]);
    expect(await bench.rowsOf(parkedTable)).toEqual([]);
    expect((await bench.rowsOf(inboxTable)).every(({ verdict }) => verdict === 'applied')).toBe(true);
    await bench.transport.publish([trail[0]!]);
    await bench.drained();
    expect((await tallyOf(bench, letter))?.count).toBe(3);
  });

  it('refuses to replay what is not waiting', async () => {
    const bench = await start(await open());
    const name = { group: groupOf('ledger', payoutEvents.name), topic: payoutEvents.name, partition: 0, offset: 7n };
    await expect(bench.shell.replayer.replay(name)).rejects.toMatchObject({ code: 'dead_letter_unknown' });
  });
}

function bugFeatures(open: () => Promise<ShellWorld>): void {
  it('stops twice for a message that breaks the handler, then sets it aside; its neighbours are handled once', async () => {
    const bench = await start(await open());
    const accountId = uuidv7();
    bench.switches.broken.add('bad');
    const letters = Array.from({ length: 9 }, (_, n) => aLetter({ accountId, evidence: n === 4 ? 'bad' : 'good' }));
    await bench.transport.publish(letters.map((letter) => confirmation(letter)));
    await bench.drained();
    expect(bench.stops.map(({ facts }) => facts['count'])).toEqual([1, 2]);
    const counts = await Promise.all(letters.map((letter) => tallyOf(bench, letter)));
    expect(counts.map((row) => row?.count ?? 0)).toEqual([1, 1, 1, 1, 0, 1, 1, 1, 1]);
    const dead = await bench.rowsOf(deadLetterTable);
    expect(dead.map(({ reason }) => reason)).toEqual(['handling_failed_three_times']);
    expect(await bench.rowsOf(outboxTable)).toHaveLength(9);
  });
}

function outboxFeatures(open: () => Promise<ShellWorld>): void {
  it('publishes what it committed, with its cause, in order per transfer', async () => {
    const bench = await start(await open());
    const letter = aLetter();
    const ids = Array.from({ length: 40 }, () => uuidv7());
    await bench.transport.publish(ids.map((id) => confirmation({ ...letter, id })));
    await bench.drained();
    await publishRound(bench);
    const records = await bench.published(ledgerEvents.name);
    expect(records.map(({ headers }) => headerText(headers, 'ce_causationid'))).toEqual(ids);
    expect(records.map(({ headers }) => headerText(headers, 'ce_sequence'))).toEqual(ids.map((_, n) => String(n + 1)));
    expect(records.every(({ key }) => Buffer.from(key!).toString() === letter.accountId)).toBe(true);
    expect(await bench.rowsOf(outboxTable)).toEqual([]);
  });

  it('repeats the same bytes under the same id when the acknowledgement is lost, and loses nothing', async () => {
    const world = await open();
    let lostAcknowledgements = 2;
    const bench = await start({
      ...world,
      transport: {
        subscribe: (subscriber) => world.transport.subscribe(subscriber),
        offsets: (topic) => world.transport.offsets(topic),
        readAll: (topic, onBatch) => world.transport.readAll(topic, onBatch),
        close: () => world.transport.close(),
        async publish(records) {
          await world.transport.publish(records);
          if (records[0]?.topic === ledgerEvents.name && lostAcknowledgements-- > 0) throw new TypeError('no answer');
        },
      },
    });
    const letter = aLetter();
    await bench.transport.publish([confirmation(letter), confirmation(letter)]);
    await bench.drained();
    await eventually(async () => (await bench.shell.relay.round(), (await bench.rowsOf(outboxTable)).length === 0), {
      because: 'the relay gets rid of its rows',
    });
    const records = await bench.published(ledgerEvents.name);
    const bytes = new Map<string, Set<string>>();
    for (const { headers, value } of records) {
      const id = headerText(headers, 'ce_id')!;
      bytes.set(id, (bytes.get(id) ?? new Set()).add(Buffer.from(value!).toString()));
    }
    expect(records.length).toBeGreaterThan(2);
    expect([...bytes.values()].map((set) => set.size)).toEqual([1, 1]);
    const firsts = records.map(({ headers }) => headerText(headers, 'ce_sequence'));
    expect(firsts.indexOf('1')).toBeLessThan(firsts.indexOf('2'));
  });
}
