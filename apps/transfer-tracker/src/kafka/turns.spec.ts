import type { RecordBatch, Subscriber } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { lockViews, TrackerDesk } from '../postgres/tracker-desk.ts';
import { trackerWorld, type TrackerWorld } from '../tracker-world.fixture.ts';
import { happyPath, type Message, recordOf, transfer } from '../transfer-messages.fixture.ts';
import { factOfRecord } from './fact.ts';
import { sagaEventOf, transferOf } from './saga-event-of.ts';
import { sideBySide, turnLimits, Turns } from './turns.ts';

const minute = 60_000;

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

const subscriberOf = (topic: string, handle: Subscriber['handle']): Subscriber => ({
  group: topic,
  topic,
  position: async () => undefined,
  handle,
});

const batchOf = ({ topic, ...message }: Message): readonly RecordBatch[] => [
  {
    topic: topic.name,
    partition: 0,
    highWatermark: 1n,
    records: [{ offset: 0n, timestamp: 0 as never, key: null, value: null, headers: message.headers }],
  },
];

describe('batches of different topics', () => {
  it('go one after the other, and those that wait say of what they are', async () => {
    const turns = new Turns();
    const one = transfer();
    const { signal } = new AbortController();
    const first = gate();
    const seen: string[] = [];
    const requests = turns.inTurn(subscriberOf('a', () => first.opened.then(() => void seen.push('a'))));
    const ledger = turns.inTurn(subscriberOf('b', async () => void seen.push('b')));
    const reserved = one.reserved(1);
    const both = [requests.handle(batchOf(one.requested()), signal), ledger.handle(batchOf(reserved), signal)];
    expect(seen).toEqual([]);
    expect([...turns.eventsOf(one.transferId)]).toEqual([reserved.headers['ce_id']]);
    first.open();
    await Promise.all(both);
    expect(seen).toEqual(['a', 'b']);
    expect([...turns.eventsOf(one.transferId)]).toEqual([]);
  });

  it('go on behind one that fails, and leave the queue when their generation is over', async () => {
    const turns = new Turns();
    const one = transfer();
    const first = gate();
    const failing = turns.inTurn(subscriberOf('a', () => first.opened.then(() => Promise.reject(new TypeError('no')))));
    const other = turns.inTurn(subscriberOf('b', async () => undefined));
    const over = new AbortController();
    const failed = failing.handle(batchOf(one.requested()), new AbortController().signal);
    const left = other.handle(batchOf(one.reserved(1)), over.signal);
    const stayed = other.handle(batchOf(one.authorized(2)), new AbortController().signal);
    over.abort(new TypeError('over'));
    await expect(left).rejects.toThrow('over');
    first.open();
    await expect(failed).rejects.toThrow('no');
    await stayed;
    expect([...turns.eventsOf(one.transferId)]).toEqual([]);
  });
});

/** Folds one message while the named events wait. */
async function foldWhile(world: TrackerWorld, message: Message, waiting: readonly string[]): Promise<void> {
  const { topic, partition, ...record } = recordOf(message);
  const received = { ...record, key: Buffer.from(record.key), value: Buffer.from(record.value) };
  const [place] = batchOf(message)[0]!.records;
  const fact = factOfRecord({ ...place!, ...received, timestamp: Date.parse(message.headers['ce_time']!) as never }, message.topic, partition)!;
  expect(topic).toBe(fact.topic);
  const transferId = transferOf(fact)!;
  await world.executor.execute(async (set) => {
    const projections = await lockViews(set, { lanes: new Set([0]), transferIds: [transferId] });
    const desk = new TrackerDesk(set, { projections, rules: world.rules, waiting: { eventsOf: () => waiting } });
    desk.fold(transferId, sagaEventOf(fact), fact);
  });
}

describe('a status that does not last', () => {
  it('is left out when what follows it is waiting already, and the end is told', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.publish(...happyPath(one));
    await world.consumeAll();
    expect(world.feed().map(({ sequence, data: { state, version } }) => [sequence, state, version])).toEqual([
      [1, 'completed', 4],
    ]);
    expect(world.view(one.transferId)).toMatchObject({ state: 'completed', version: 6, untold: false });
  });

  it('is told with the next event, even if that one changes nothing', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const authorized = one.authorized(2);
    await foldWhile(world, one.reserved(1), [authorized.headers['ce_id']!]);
    expect(world.feed()).toEqual([]);
    expect(world.view(one.transferId)).toMatchObject({ untold: true, statusSequence: 0 });
    await foldWhile(world, authorized, [authorized.headers['ce_id']!]);
    expect(world.feed()).toMatchObject([{ sequence: 1, data: { state: 'funds_reserved', version: 2 } }]);
  });

  it('is told at its deadline, if what was waiting never comes', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await foldWhile(world, one.reserved(1), [uuidv7()]);
    world.moveOn(4 * minute);
    await world.judge();
    expect(world.feed()).toMatchObject([{ sequence: 1, data: { state: 'funds_reserved', attention: 'late' } }]);
    expect(world.view(one.transferId)).toMatchObject({ untold: false });
  });

  it('is never an end, and never something that needs a person', async () => {
    const world = await trackerWorld();
    for (const message of [transfer().refused(1), transfer().settled(1), transfer().reviewRequired(1)]) {
      await foldWhile(world, message, [uuidv7()]);
    }
    expect(world.feed()).toHaveLength(3);
  });
});

describe('large batches', () => {
  const largeBatch = (partition: number, count: number) => ({
    topic: 'pix.ledger-events.v1',
    partition,
    records: Array.from({ length: count }, () => ({}) as never),
    highWatermark: BigInt(count),
  });
  const partitionsOf = (parts: readonly (readonly { readonly partition: number }[])[]) =>
    parts.map((part) => part.map(({ partition }) => partition));

  it('go side by side, each partition in one part', () => {
    const parts = sideBySide([200, 50, 50, 50, 50].map((count, partition) => largeBatch(partition, count)));
    expect(partitionsOf(parts)[0]).toEqual([0]);
    expect(partitionsOf(parts).flat().sort()).toEqual([0, 1, 2, 3, 4]);
    expect(parts).toHaveLength(turnLimits.partsMax);
  });

  it('are not divided where one transaction does', () => {
    expect(partitionsOf(sideBySide([largeBatch(4, 3), largeBatch(7, 2)]))).toEqual([[4, 7]]);
    expect(partitionsOf(sideBySide([largeBatch(4, 500)]))).toEqual([[4]]);
  });
});
