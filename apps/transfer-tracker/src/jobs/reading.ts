// How far the topics were read, in time. A look notes the clock first and then where every log ends; once our positions
// have passed those ends, everything that the brokers took before that instant is in the views. So `asOf` stands still
// while we lag, and silence is only ever judged where we know that it is silence.
import type { TopicDefinition } from '@compasso/contracts';
import type { Instant } from '@compasso/kernel';
import {
  groupOf,
  type Key,
  positionTable,
  type Transaction,
  type Transport,
  type UnitOfWork,
} from '@compasso/messaging';
import { readingTable } from '../postgres/tables.ts';

export interface ReadingParts {
  readonly unitOfWork: UnitOfWork;
  readonly transport: Pick<Transport, 'offsets'>;
  readonly topics: readonly TopicDefinition[];
}

interface PartitionEnd {
  readonly topic: string;
  readonly partition: number;
  readonly first: bigint;
  readonly next: bigint;
}

interface Look {
  readonly at: Instant;
  readonly ends: readonly PartitionEnd[];
}

const limits = { looksMax: 64 } as const;

export class Reading {
  private readonly parts: ReadingParts;
  /** Looks that some partition has not passed yet, oldest first. */
  private looks: readonly Look[] = [];

  constructor(parts: ReadingParts) {
    this.parts = parts;
  }

  /** One look. Writes how far each partition was read; what another replica wrote is only ever raised. */
  async advance(): Promise<void> {
    const look = await this.look();
    const looks = [...this.looks, look];
    this.looks = await this.parts.unitOfWork.run(async (transaction) => {
      const positions = await readPositions(transaction, look.ends);
      const passed = (end: PartitionEnd): boolean =>
        end.next <= (positions.get(nameOf(end)) ?? end.first);
      await raise(transaction, lastPassed(looks, passed));
      return stillAhead(looks, passed);
    });
  }

  private async look(): Promise<Look> {
    const { unitOfWork, transport, topics } = this.parts;
    const at = await unitOfWork.run(async ({ instant }) => instant);
    const ends = await Promise.all(
      topics.map(async ({ name }) =>
        (await transport.offsets(name)).map((offsets) => ({ topic: name, ...offsets })),
      ),
    );
    return { at, ends: ends.flat() };
  }
}

const nameOf = ({ topic, partition }: Pick<PartitionEnd, 'topic' | 'partition'>): string =>
  `${topic}/${partition}`;

async function readPositions(
  transaction: Transaction,
  ends: readonly PartitionEnd[],
): Promise<ReadonlyMap<string, bigint>> {
  const keys = ends.map(({ topic, partition }): Key => [
    groupOf('transfer-tracker', topic),
    topic,
    partition,
  ]);
  const rows = await transaction.read(positionTable, keys);
  return new Map(rows.map((row) => [nameOf(row), row.nextOffset]));
}

type Passed = (end: PartitionEnd) => boolean;

/** Per partition the latest look whose end we have passed. */
function lastPassed(looks: readonly Look[], passed: Passed): ReadonlyMap<string, ReadingMark> {
  const marks = new Map<string, ReadingMark>();
  for (const { at, ends } of looks) {
    for (const end of ends.filter(passed)) {
      marks.set(nameOf(end), { topic: end.topic, partition: end.partition, asOf: at });
    }
  }
  return marks;
}

interface ReadingMark {
  readonly topic: string;
  readonly partition: number;
  readonly asOf: Instant;
}

/** Of a long lag every second look is enough, and then every fourth: `asOf` grows in larger steps. */
function stillAhead(looks: readonly Look[], passed: Passed): readonly Look[] {
  const ahead = looks.filter(({ ends }) => !ends.every(passed));
  return ahead.length <= limits.looksMax ? ahead : ahead.filter((_, at) => at % 2 === 0);
}

async function raise(
  transaction: Transaction,
  marks: ReadonlyMap<string, ReadingMark>,
): Promise<void> {
  const wanted = [...marks.values()];
  const known = await transaction.lock(readingTable, wanted.map(keyOfMark));
  const before = new Map(known.map((row) => [nameOf(row), row.asOf]));
  await transaction.insertMissing(readingTable, wanted.filter((mark) => !before.has(nameOf(mark))));
  await transaction.update(
    readingTable,
    wanted.filter((mark) => (before.get(nameOf(mark)) ?? mark.asOf) < mark.asOf),
  );
}

const keyOfMark = ({ topic, partition }: ReadingMark): Key => [topic, partition];
