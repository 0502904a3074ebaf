// Folds everything again beside what is shown, compares, and shows the new one. Live consumption goes on: from the first
// moment it feeds both projections, so the topics need only be read up to where they ended after that moment. Folding is
// idempotent, therefore it does not matter what of it comes twice (docs/decisions/0030-rebuild-beside-the-live-projection.md).
import type { TopicDefinition, TopicFamily } from '@compasso/contracts';
import type { Executor, Transport } from '@compasso/messaging';
import type { Rules } from '../domain/transfer-view.ts';
import { type Fact, factOfRecord } from '../kafka/fact.ts';
import { factOfRow } from '../postgres/event-row.ts';
import type { Comparison, EventPlace, RebuildStore } from '../postgres/rebuild-store.ts';
import { foldAgain, type FoldingAgain } from './fold-again.ts';
import { beginBuilding, showBuilt, stopBuilding } from './projections.ts';
import { highestPublished, republish } from './republish.ts';

export interface RebuildParts {
  readonly executor: Executor;
  readonly transport: Pick<Transport, 'readAll'>;
  readonly store: RebuildStore;
  readonly topics: readonly TopicDefinition[];
  readonly rules: Rules;
  /** Told in words how far it is. */
  readonly tell: (progress: string) => void;
}

export interface RebuildReport {
  /** What is shown now. */
  readonly projection: number;
  readonly recordsRead: number;
  /** Events that only the store still had. */
  readonly eventsFromStore: number;
  readonly comparison: Comparison;
  readonly republished: number;
}

export async function rebuildProjection(parts: RebuildParts): Promise<RebuildReport> {
  const { executor, store, transport, tell } = parts;
  const published = await highestPublished(transport);
  const { shown, building } = await beginBuilding(executor, published);
  tell(`projection ${building} is being built beside the one that is shown`);
  try {
    await store.removeOthers(building);
    const folding = { executor, rules: parts.rules, building };
    const recordsRead = await foldTopics(parts, folding);
    const eventsFromStore = await foldStored(parts, folding);
    const comparison = await store.compare(shown, building);
    const changed = await store.publiclyDiffering(shown, building);
    await showBuilt(executor, building);
    tell(`projection ${building} is shown instead of ${shown}`);
    // A database that is younger than its own feed does not know what the public has last seen.
    const transfers = published > shown ? await store.all(building) : changed;
    await republish(executor, building, transfers);
    const republished = transfers.length;
    return { projection: building, recordsRead, eventsFromStore, comparison, republished };
  } catch (error) {
    await stopBuilding(executor, building).catch(() => {
      tell(`projection ${building} could not be given up; the next rebuild will remove it`);
    });
    throw error;
  }
}

/** All topics at once, as live consumption does: the lanes keep them apart. None still writes when this ends. */
async function foldTopics(parts: RebuildParts, folding: FoldingAgain): Promise<number> {
  const reads = parts.topics.map((topic) => foldTopic(topic, parts, folding));
  const ends = await Promise.allSettled(reads);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return (await Promise.all(reads)).reduce((sum, read) => sum + read, 0);
}

async function foldTopic(
  topic: TopicDefinition,
  { transport, tell }: RebuildParts,
  folding: FoldingAgain,
): Promise<number> {
  let read = 0;
  await transport.readAll(topic.name, async ({ partition, records }) => {
    const facts = records
      .map((record) => factOfRecord(record, topic, partition))
      .filter((fact): fact is Fact => fact !== undefined);
    await foldAgain(facts, folding);
    read += records.length;
  });
  tell(`${topic.name}: ${read} records`);
  return read;
}

/** Topics forget after their retention; the store does not. */
async function foldStored({ store, topics }: RebuildParts, folding: FoldingAgain): Promise<number> {
  const families = new Map(topics.map(({ name, family }) => [name, family]));
  const familyOf = (topic: string): TopicFamily => families.get(topic) ?? 'transfer-requests';
  let folded = 0;
  let after: EventPlace | undefined;
  for (;;) {
    const rows = await store.unfolded(folding.building, after);
    if (rows.length === 0) return folded;
    await foldAgain(rows.map((row) => factOfRow(row, familyOf)), folding);
    folded += rows.length;
    after = rows.at(-1);
  }
}
