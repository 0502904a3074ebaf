// Topics speak of the same transfers. Batches of different topics that wait at the same time go together, in one transaction:
// a transfer's row is locked, folded and written once for all of them, and nobody waits for a row with a transaction in its
// hands. The lane rows stay the guard against other replicas and rebuilds, so this is only thrift.
import { setTimeout as pause } from 'node:timers/promises';
import { contractOfType, headerText, type TopicFamily } from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import { type HandleAtOnce, type RecordBatch, recordsIn, type Subscriber } from '@compasso/messaging';

/** What was read and is not folded yet. */
export interface Waiting {
  /** Ids of events that will be folded into the transfer. */
  eventsOf(transferId: string): Iterable<string>;
}

export const nothingWaits: Waiting = { eventsOf: () => [] };

export const turnLimits = {
  patienceMsMax: 2_000,
  /** After a round that left nothing unread: what comes meanwhile costs one transaction, and one status per transfer. */
  pauseMsPerRecord: 0.5,
  pauseMsMax: 200,
  /** Where somebody is behind: long enough for the next poll of every topic to be here, so that all go together again. */
  pauseMsBehind: 10,
  /** Of one topic in a round. A topic that is behind takes a large share of the round, until all are at the same time again. */
  recordsMax: 3_000,
  /** Large batches go in several transactions side by side: one is decided while the database writes the others. */
  recordsPerPart: 60,
  partsMax: 4,
} as const;

/**
 * Rounds: what waits when one is over makes up the next, and all of it is let go together. So the next polls come together
 * too, and what was published since the last ones is known before any of it is folded.
 */
export class Turns implements Waiting {
  private readonly events = new Map<string, Set<string>>();
  private queue: Turn[] = [];
  private isRunning = false;

  inTurn(subscriber: Subscriber, atOnce: HandleAtOnce): Subscriber {
    const handle: Subscriber['handle'] = async (batches, signal) => {
      if (await this.isCommittedInARound({ batches, signal, atOnce })) return;
      signal.throwIfAborted();
      await subscriber.handle(batches, signal);
    };
    return { ...subscriber, recordsMax: turnLimits.recordsMax, handle };
  }

  eventsOf(transferId: string): Iterable<string> {
    return this.events.get(transferId) ?? [];
  }

  /** Whoever has waited long enough goes on alone, beside the round: the positions let one of the two do the work. */
  private async isCommittedInARound(poll: Omit<Turn, 'named' | 'end'>): Promise<boolean> {
    const named = namesIn(poll.batches);
    this.note(named);
    const committed = await withPatience(poll.signal, (end) => {
      this.queue.push({ ...poll, named, end });
      if (!this.isRunning) void this.run();
    });
    this.queue = this.queue.filter(({ batches }) => batches !== poll.batches);
    this.forget(named);
    return committed;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    // What comes in this turn of the event loop belongs to the first round.
    await pause(0);
    while (this.queue.length > 0) {
      const round = this.queue.splice(0);
      const batches = round.flatMap((turn) => turn.batches);
      for (const { named } of round) this.forget(named);
      const committed = await isCommitted(round, batches);
      for (const { end } of round) end(committed);
      await pause(pauseMsAfter(batches));
    }
    this.isRunning = false;
  }

  private note(named: readonly Named[]): void {
    for (const { transferId, eventId } of named) {
      const known = this.events.get(transferId);
      if (known === undefined) this.events.set(transferId, new Set([eventId]));
      else known.add(eventId);
    }
  }

  private forget(named: readonly Named[]): void {
    for (const { transferId, eventId } of named) {
      const known = this.events.get(transferId);
      known?.delete(eventId);
      if (known?.size === 0) this.events.delete(transferId);
    }
  }
}

/** One try. A batch that fails is met again by its own subscriber, which knows what the failure means. */
async function isCommitted(round: readonly Turn[], batches: readonly RecordBatch[]): Promise<boolean> {
  const signal = AbortSignal.any(round.map((turn) => turn.signal));
  const parts = sideBySide(batches).map((part) => round[0]!.atOnce(part, signal));
  const ended = await Promise.allSettled(parts);
  return ended.every(({ status }) => status === 'fulfilled');
}

/**
 * Partitions of one number hold the same accounts in every topic, and so the same transfers and lanes: two sets of numbers
 * never wait for each other.
 */
export function sideBySide(batches: readonly RecordBatch[]): readonly (readonly RecordBatch[])[] {
  const lanes = [...Map.groupBy(batches, ({ partition }) => partition).values()];
  const wanted = Math.ceil(recordsIn(batches) / turnLimits.recordsPerPart);
  const parts = Array.from({ length: Math.min(wanted, turnLimits.partsMax, lanes.length) }, (): RecordBatch[] => []);
  for (const lane of lanes.toSorted((a, b) => recordsIn(b) - recordsIn(a))) {
    parts.toSorted((a, b) => recordsIn(a) - recordsIn(b))[0]!.push(...lane);
  }
  return parts;
}

interface Turn {
  readonly batches: readonly RecordBatch[];
  readonly named: readonly Named[];
  readonly signal: AbortSignal;
  readonly atOnce: HandleAtOnce;
  /** Told whether its effects are committed. */
  readonly end: (committed: boolean) => void;
}

interface Named {
  readonly transferId: string;
  readonly eventId: string;
}

const countedOn: ReadonlySet<TopicFamily> = new Set<TopicFamily>(['ledger-events', 'payout-events']);

const namesIn = (batches: readonly RecordBatch[]): readonly Named[] =>
  batches.flatMap(({ records }) => records.flatMap(namesOf));

/** Only what ledger and gateway say of a transfer: they keep their contracts, so it will be folded, and told. */
function namesOf({ headers }: RecordBatch['records'][number]): readonly Named[] {
  const contract = contractOfType(headerText(headers, 'ce_type') ?? '');
  if (contract === undefined || !countedOn.has(contract.family)) return [];
  if (contract.name === 'ledger.command-refused') return [];
  const transferId = headerText(headers, 'ce_subject');
  const eventId = headerText(headers, 'ce_id');
  if (transferId === undefined || eventId === undefined || !isUuid(transferId)) return [];
  return [{ transferId, eventId }];
}

function pauseMsAfter(batches: readonly RecordBatch[]): number {
  const isBehind = batches.some(({ records, highWatermark }) => (records.at(-1)?.offset ?? 0n) + 1n < highWatermark);
  if (isBehind) return turnLimits.pauseMsBehind;
  return Math.min(turnLimits.pauseMsMax, recordsIn(batches) * turnLimits.pauseMsPerRecord);
}

/** False when the generation is over, or nobody has ended it in time. */
function withPatience(signal: AbortSignal, begin: (end: (committed: boolean) => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (committed: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      resolve(committed);
    };
    const giveUp = (): void => end(false);
    const timer = setTimeout(giveUp, turnLimits.patienceMsMax);
    signal.addEventListener('abort', giveUp);
    begin(end);
  });
}
