// The whole tracker over the in-memory twins, or over a real database, fed record by record.
import {
  type DataOf,
  partitionCount,
  type TopicDefinition,
  transferStatus,
  transferStatusChangedV1,
} from '@compasso/contracts';
import { addMilliseconds, type Instant } from '@compasso/kernel';
import {
  alwaysLeader,
  composeShell,
  deadLetterTable,
  eventLogTable,
  MemoryBroker,
  MemoryTransport,
  MemoryUnitOfWork,
  type RowOf,
  type ServiceShell,
  type UnitOfWork,
} from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { judgeAttention } from './jobs/judge-attention.ts';
import { Reading } from './jobs/reading.ts';
import { trackedTopics } from './kafka/reactions.ts';
import {
  eventTable,
  laneTable,
  projectionTable,
  reviewCaseTable,
  transfersProjection,
  transferViewTable,
} from './postgres/tables.ts';
import { type Message, noon, recordOf, team } from './transfer-messages.fixture.ts';
import { trackerDefinition, trackerRules } from './transfer-tracker.definition.ts';

const topics = trackedTopics([team]);

type StatusChange = DataOf<typeof transferStatusChangedV1>;

/** A tracker over any database, fed from topics in memory. */
export function trackerOver(unitOfWork: UnitOfWork, broker: MemoryBroker) {
  const transport = new MemoryTransport(broker);
  const rules = trackerRules(1);
  const shell = composeShell(trackerDefinition({ requestTeams: [team], rules }), {
    unitOfWork,
    transport,
    leadership: alwaysLeader,
    newId: uuidv7,
    pauseBeforeRetry: async () => undefined,
    observe: () => undefined,
    wake: () => undefined,
  });
  const consume = consumerOf(shell, broker);
  const reading = new Reading({ unitOfWork, transport, topics });

  const publish = (...messages: readonly Message[]): Promise<void> =>
    transport.publish(messages.map(recordOf));

  return {
    broker,
    transport,
    rules,
    executor: shell.executor,
    publish,
    consume,
    /** All topics at once, as their consumers are in a running service. */
    async consumeAll(): Promise<void> {
      await Promise.all(topics.map(consume));
    },
    /** Publishes and reads at once, message by message: each is a batch of its own. */
    async receive(...messages: readonly Message[]): Promise<void> {
      for (const message of messages) {
        await publish(message);
        await consume(message.topic);
      }
    },
    /** One look at the ends of the topics, and one judgement as of what was read. */
    async judge(): Promise<number> {
      await reading.advance();
      return judgeAttention({ executor: shell.executor, rules });
    },
  };
}

/** Hands what is new in a topic to its consumer: what one poll would bring of all partitions. */
function consumerOf({ subscribers }: ServiceShell, broker: MemoryBroker) {
  const read = new Map<string, number>();
  return async ({ name }: TopicDefinition): Promise<void> => {
    const subscriber = subscribers.find(({ topic }) => topic === name)!;
    const place = (partition: number): string => `${name}/${partition}`;
    const batches = broker.log(name).flatMap((log, partition) => {
      const records = log.slice(read.get(place(partition)) ?? 0);
      const highWatermark = BigInt(log.length);
      return records.length === 0 ? [] : [{ topic: name, partition, records, highWatermark }];
    });
    if (batches.length === 0) return;
    await subscriber.handle(batches, new AbortController().signal);
    for (const { partition, records } of batches) {
      // Two callers may read the same records at once: the position lets one of them through.
      const next = Number(records.at(-1)!.offset) + 1;
      read.set(place(partition), Math.max(read.get(place(partition)) ?? 0, next));
    }
  };
}

/** The same over the in-memory twin, with a clock that stands still unless it is moved. */
export async function trackerWorld() {
  let now: Instant = noon;
  const unitOfWork = new MemoryUnitOfWork(() => now);
  await seedProjections(unitOfWork);
  return {
    ...trackerOver(unitOfWork, new MemoryBroker(() => now)),
    unitOfWork,
    moveOn: (milliseconds: number) => void (now = addMilliseconds(now, milliseconds)),
    view: (transferId: string, projection = 1) =>
      unitOfWork
        .rowsOf(transferViewTable)
        .find((row) => row.transferId === transferId && row.projection === projection),
    events: () => unitOfWork.rowsOf(eventTable),
    cases: () => unitOfWork.rowsOf(reviewCaseTable),
    deadLetters: () => unitOfWork.rowsOf(deadLetterTable),
    /** What the feed has told, oldest first. */
    feed: () => unitOfWork.rowsOf(eventLogTable).filter(isStatus).sort(byId).map(statusOf),
  };
}

type LoggedEvent = RowOf<typeof eventLogTable>;

const isStatus = ({ topic }: LoggedEvent): boolean => topic === transferStatus.name;
const byId = (a: LoggedEvent, b: LoggedEvent): number => (a.eventId < b.eventId ? -1 : 1);
const statusOf = (row: LoggedEvent) => ({ ...row, data: JSON.parse(row.data) as StatusChange });

export type TrackerWorld = Awaited<ReturnType<typeof trackerWorld>>;

async function seedProjections(unitOfWork: MemoryUnitOfWork): Promise<void> {
  await unitOfWork.run(async (transaction) => {
    await transaction.insert(projectionTable, [
      { name: transfersProjection, current: 1, building: null },
    ]);
    const lanes = Array.from({ length: partitionCount }, (_, lane) => lane);
    await transaction.insert(
      laneTable,
      lanes.map((lane) => ({ lane, current: 1, building: null })),
    );
  });
}
