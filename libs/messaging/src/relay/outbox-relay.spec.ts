// The relay over the twins in memory: what may happen between reading, publishing and forgetting.
import { deadLettersOf } from '@compasso/contracts';
import { uuidv7 } from 'uuidv7';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { eventLogTable, outboxTable } from '../shell/tables.ts';
import { holdLimits } from './held-back.ts';
import { notice, RelayWorld, settled, subjectOf, transfers } from './relay-world.fixture.ts';
import { sendingLimits } from './sending.ts';

const firstsOf = (sequences: readonly string[]): readonly string[] => [...new Set(sequences)];

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('an event that is not surely published', () => {
  it('is published again under the same id when the acknowledgement is lost', async () => {
    const world = new RelayWorld();
    let lost = 1;
    const relay = world.relay({
      async publish(records) {
        await world.transport.publish(records);
        if (lost-- > 0) throw new TypeError('the answer was lost');
      },
    });
    const [transfer] = transfers(1);
    await world.stage([settled(transfer!, 1), settled(transfer!, 2)]);
    for (let round = 0; world.waiting() > 0 && round < 5; round += 1) await relay.round();
    expect(world.waiting()).toBe(0);
    expect(world.sequencesOf(transfer).length).toBeGreaterThan(2);
    expect(firstsOf(world.sequencesOf(transfer))).toEqual(['1', '2']);
  });

  it('keeps its row when forgetting fails, so that it can only come twice', async () => {
    const world = new RelayWorld();
    const [transfer] = transfers(1);
    await world.stage([settled(transfer!, 1)]);
    const away: UnitOfWork = {
      run: (work) =>
        world.unitOfWork.run((transaction) => {
          const remove = () => Promise.reject(new TypeError('the database is away'));
          return work(Object.assign(Object.create(transaction), { remove }));
        }),
      meaningOf: (error) => world.unitOfWork.meaningOf(error),
    };
    await expect(world.relay({ unitOfWork: away }).round()).rejects.toThrow('the database is away');
    expect(world.waiting()).toBe(1);
    await world.relay().round();
    expect(world.waiting()).toBe(0);
    expect(world.sequencesOf(transfer)).toEqual(['1', '1']);
  });
});

describe('an event that cannot leave', () => {
  it('holds back its transfer, and nobody else', async () => {
    const world = new RelayWorld();
    const [bad, good] = transfers(2);
    world.refuses = (record) => subjectOf(record) === bad && record.headers['ce_sequence'] === '1';
    const relay = world.relay();
    await world.stage([settled(bad!, 1), settled(bad!, 2), settled(good!, 1), settled(bad!, 3), settled(good!, 2)]);
    await relay.round();
    expect(world.sequencesOf(good)).toEqual(['1', '2']);
    expect(world.sequencesOf(bad)).toEqual([]);
    await world.stage([settled(good!, 3), settled(bad!, 4)]);
    const before = world.sends;
    expect(await relay.round()).toEqual({ published: 1, more: false, failed: false });
    expect(world.sends).toBe(before + 1);
    world.refuses = () => false;
    world.nowMs += holdLimits.firstMs;
    await relay.round();
    await relay.round();
    expect(world.sequencesOf(bad)).toEqual(['1', '2', '3', '4']);
    expect(world.waiting()).toBe(0);
  });

  it('is tried less and less often, within a bound', async () => {
    const world = new RelayWorld();
    const [bad, good] = transfers(2);
    world.refuses = (record) => subjectOf(record) === bad;
    const relay = world.relay();
    await world.stage([settled(bad!, 1), settled(good!, 1)]);
    await relay.round();
    const tries: number[] = [];
    for (; world.nowMs < 120_000; world.nowMs += 500) {
      const before = world.sends;
      await relay.round();
      if (world.sends > before) tries.push(world.nowMs);
    }
    const pauses = tries.slice(1).map((at, n) => at - tries[n]!);
    expect(pauses.slice(0, 4)).toEqual([2_000, 4_000, 8_000, holdLimits.maxMs]);
    expect(Math.max(...pauses)).toBe(holdLimits.maxMs);
  });

  it('never hides those behind it, however many there are', async () => {
    const world = new RelayWorld();
    const bad = new Set(transfers(520));
    const [good] = transfers(1);
    world.refuses = (record) => bad.has(subjectOf(record));
    const relay = world.relay();
    await world.stage([...[...bad].map((one) => settled(one, 1)), settled(good!, 1)]);
    for (let round = 0; world.sequencesOf(good).length === 0 && round < 2_000; round += 1) await relay.round();
    expect(firstsOf(world.sequencesOf(good))).toEqual(['1']);
    expect(world.waiting()).toBe(bad.size);
  });

  it('costs other topics nothing when its own takes nothing', async () => {
    const world = new RelayWorld();
    world.refuses = ({ topic }) => topic === deadLettersOf('ledger').name;
    const relay = world.relay();
    await world.stage(Array.from({ length: 600 }, notice));
    await relay.round();
    await relay.round();
    for (let n = 1; n <= 5; n += 1) {
      const before = world.sends;
      await world.stage(transfers(20).map((one) => settled(one, 1)));
      await relay.round();
      expect(world.publishedTransfers().size).toBe(20 * n);
      // Once it is known which topic is bad, the others leave together.
      if (n > 1) expect(world.sends - before).toBe(1);
    }
    expect(world.waiting()).toBe(600);
  });

  it('is in the age of the oldest row, for whoever watches it', async () => {
    const world = new RelayWorld();
    const [bad, good] = transfers(2);
    world.refuses = (record) => subjectOf(record) === bad;
    const relay = world.relay();
    await world.stage([settled(bad!, 1), settled(good!, 1)]);
    await relay.round();
    await relay.round();
    const oldest = world.unitOfWork.rowsOf(eventLogTable).find(({ subject }) => subject === bad)!.occurredAt;
    expect(world.observations.filter(({ kind }) => kind === 'backlog').at(-1)).toEqual({ kind: 'backlog', rows: 1, oldest });
  });
});

describe('a broker that is away', () => {
  it('is nobody else’s fault: all leave as soon as it is back', async () => {
    const world = new RelayWorld();
    world.refuses = () => true;
    const relay = world.relay();
    await world.stage(transfers(300).map((one) => settled(one, 1)));
    for (let round = 0; round < 200; round += 1) expect((await relay.round()).failed).toBe(true);
    expect(world.sends).toBeLessThanOrEqual(200 * (1 + sendingLimits.failuresInARowMax));
    world.refuses = () => false;
    await relay.round();
    expect(world.publishedTransfers().size).toBe(300);
    expect(world.waiting()).toBe(0);
  });
});

describe('two leaders at once', () => {
  it('repeat events, and keep the order of each transfer', async () => {
    const world = new RelayWorld();
    const [one, other] = transfers(2);
    await world.stage([settled(one!, 1), settled(other!, 1), settled(one!, 2)]);
    const [froze, thawed] = [gate(), gate()];
    const frozen = world.relay({
      async publish(records) {
        froze.open();
        await thawed.opened;
        await world.transport.publish(records);
      },
    });
    const late = frozen.round();
    await froze.opened;
    const successor = world.relay();
    await successor.round();
    await world.stage([settled(one!, 3), settled(other!, 2)]);
    await successor.round();
    thawed.open();
    await late;
    expect(firstsOf(world.sequencesOf(one))).toEqual(['1', '2', '3']);
    expect(firstsOf(world.sequencesOf(other))).toEqual(['1', '2']);
    expect(world.sequencesOf(one).length).toBeGreaterThan(3);
    expect(world.waiting()).toBe(0);
  });

  it('become one: who has lost the lease stops before its next send', async () => {
    const world = new RelayWorld();
    let leads = true;
    const relay = world.relay({
      isLeader: () => leads,
      async publish() {
        world.sends += 1;
        leads = false;
      },
    });
    await world.stageLarge(60, 'E');
    await relay.round();
    expect(world.sends).toBe(1);
    expect(world.waiting()).toBeGreaterThan(0);
    expect(await relay.round()).toEqual({ published: 0, more: false, failed: false });
  });
});

describe('rows that are not as they should be', () => {
  it('makes sends that fit the broker, counted in bytes', async () => {
    const world = new RelayWorld();
    const sizes: number[] = [];
    const relay = world.relay({
      async publish(records) {
        sizes.push(records.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0));
      },
    });
    await world.stageLarge(100, '€');
    await relay.round();
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(sendingLimits.bytesMax);
  });

  it('says once that an event is missing, keeps its row and goes on with the others', async () => {
    const world = new RelayWorld();
    const lost = { recordedOn: '2020-01-01', eventId: uuidv7() };
    await world.unitOfWork.run((transaction) => transaction.insert(outboxTable, Array.from({ length: 501 }, () => lost)));
    const [transfer] = transfers(1);
    await world.stage([settled(transfer!, 1)]);
    const relay = world.relay();
    await relay.round();
    await relay.round();
    expect(world.sequencesOf(transfer)).toEqual(['1']);
    expect(world.observations.filter(({ kind }) => kind === 'orphaned')).toEqual([{ kind: 'orphaned', ...lost }]);
    expect(world.waiting()).toBe(501);
  });
});
