import type { HandleAtOnce, RecordBatch, Subscriber } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { lockViews, TrackerDesk } from '../postgres/tracker-desk.ts';
import { trackerWorld, type TrackerWorld } from '../tracker-world.fixture.ts';
import { happyPath, type Message, recordOf, transfer } from '../transfer-messages.fixture.ts';
import { factOfRecord } from './fact.ts';
import { sagaEventOf, transferOf } from './saga-event-of.ts';
import { sideBySide, turnLimits, Turns } from './turns.ts';

const minute = 60_000;

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
  const { signal } = new AbortController();
  const topicsIn = (batches: readonly RecordBatch[]): string => batches.map(({ topic }) => topic).join(' + ');

  /** Writes down who handled what; `atOnce` fails when told so. */
  function handlers(fails: () => boolean = () => false) {
    const seen: string[] = [];
    const turns = new Turns();
    const atOnce: HandleAtOnce = async (batches) => {
      if (fails()) throw new TypeError('no');
      seen.push(topicsIn(batches));
    };
    const alone = async (batches: readonly RecordBatch[]): Promise<void> => void seen.push(`alone: ${topicsIn(batches)}`);
    const inTurn = (topic: string) => turns.inTurn(subscriberOf(topic, alone), atOnce);
    return { seen, turns, inTurn };
  }

  it('that wait together go together, and say of what they are until then', async () => {
    const { seen, turns, inTurn } = handlers();
    const one = transfer();
    const reserved = one.reserved(1);
    const both = [inTurn('a').handle(batchOf(one.requested()), signal), inTurn('b').handle(batchOf(reserved), signal)];
    expect([...turns.eventsOf(one.transferId)]).toEqual([reserved.headers['ce_id']]);
    await Promise.all(both);
    expect(seen).toEqual(['pix.transfer-requests.acme.v1 + pix.ledger-events.v1']);
    expect([...turns.eventsOf(one.transferId)]).toEqual([]);
  });

  it('are handled each by its own subscriber when they fail together', async () => {
    const { seen, turns, inTurn } = handlers(() => true);
    const one = transfer();
    await Promise.all([
      inTurn('a').handle(batchOf(one.requested()), signal),
      inTurn('b').handle(batchOf(one.reserved(1)), signal),
    ]);
    expect(seen).toEqual(['alone: pix.transfer-requests.acme.v1', 'alone: pix.ledger-events.v1']);
    expect([...turns.eventsOf(one.transferId)]).toEqual([]);
  });

  it('leave the round when their generation is over, and the others go on', async () => {
    const { seen, turns, inTurn } = handlers();
    const one = transfer();
    const over = new AbortController();
    const left = inTurn('a').handle(batchOf(one.reserved(1)), over.signal);
    const stayed = inTurn('b').handle(batchOf(one.confirmed(1)), signal);
    over.abort(new TypeError('over'));
    await expect(left).rejects.toThrow('over');
    await stayed;
    expect(seen).toEqual(['pix.payout-events.v1']);
    expect([...turns.eventsOf(one.transferId)]).toEqual([]);
  });

  it('end with a bad message set aside, and the rest applied', async () => {
    const world = await trackerWorld();
    const [one, other] = [transfer(), transfer()];
    await world.publish(...happyPath(one), ...happyPath(other));
    await world.publish({ ...other.confirmed(9), value: '{' });
    await world.consumeAll();
    for (const { transferId } of [one, other]) expect(world.view(transferId)).toMatchObject({ state: 'completed' });
    expect(world.deadLetters()).toHaveLength(1);
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
      [1, 'completed', 6],
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
