// One topic's turn at a time. Topics speak of the same transfers, so their batches would wait for each other's rows, each with a
// connection and a transaction in its hands; they wait here instead. The lane rows stay the guard against other replicas and
// rebuilds, so this is only thrift: whoever has waited long enough goes on beside the other.
import { setTimeout as pause } from 'node:timers/promises';
import { contractOfType, headerText, type TopicFamily } from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import { type RecordBatch, recordsIn, type Subscriber, together } from '@compasso/messaging';

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
  private subscribers = 0;

  /** In the order in which they take their turns: as a saga meets the topics, so that causes come before effects. */
  inTurn(subscriber: Subscriber): Subscriber {
    this.subscribers += 1;
    const place = this.subscribers;
    const handle: Subscriber['handle'] = (batches, signal) => {
      const turn = { place, batches, hasCome: signalled(), hasEnded: signalled(), roundIsOver: signalled() };
      const handlePart = (part: readonly RecordBatch[]): Promise<void> => subscriber.handle(part, signal);
      return this.take(turn, () => together(sideBySide(batches).map(handlePart)), signal);
    };
    return { ...subscriber, handle };
  }

  eventsOf(transferId: string): Iterable<string> {
    return this.events.get(transferId) ?? [];
  }

  private async take(turn: Turn, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const named = this.note(turn.batches);
    this.queue.push(turn);
    if (!this.isRunning) void this.run();
    await firstOf(turn.hasCome.promise, signal);
    this.forget(named);
    this.queue = this.queue.filter((other) => other !== turn);
    try {
      signal.throwIfAborted();
      await work();
    } finally {
      turn.hasEnded.give();
    }
    await firstOf(turn.roundIsOver.promise, signal);
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.queue.length > 0) {
      const round = this.queue.splice(0).sort((a, b) => a.place - b.place);
      for (const turn of round) {
        turn.hasCome.give();
        await turn.hasEnded.promise;
      }
      for (const turn of round) turn.roundIsOver.give();
      await pause(pauseMsAfter(round.flatMap(({ batches }) => batches)));
    }
    this.isRunning = false;
  }

  private note(batches: readonly RecordBatch[]): readonly Named[] {
    const named = batches.flatMap(({ records }) => records.flatMap(namesOf));
    for (const { transferId, eventId } of named) {
      const known = this.events.get(transferId);
      if (known === undefined) this.events.set(transferId, new Set([eventId]));
      else known.add(eventId);
    }
    return named;
  }

  private forget(named: readonly Named[]): void {
    for (const { transferId, eventId } of named) {
      const known = this.events.get(transferId);
      known?.delete(eventId);
      if (known?.size === 0) this.events.delete(transferId);
    }
  }
}

/** Partitions have their own accounts, and so their own transfers and lanes: two sets of them never wait for each other. */
export function sideBySide(batches: readonly RecordBatch[]): readonly (readonly RecordBatch[])[] {
  const wanted = Math.ceil(recordsIn(batches) / turnLimits.recordsPerPart);
  const parts = Array.from({ length: Math.min(wanted, turnLimits.partsMax, batches.length) }, (): RecordBatch[] => []);
  for (const batch of batches.toSorted((a, b) => b.records.length - a.records.length)) {
    parts.toSorted((a, b) => recordsIn(a) - recordsIn(b))[0]!.push(batch);
  }
  return parts;
}

interface Turn {
  readonly place: number;
  readonly batches: readonly RecordBatch[];
  readonly hasCome: Signalled;
  readonly hasEnded: Signalled;
  readonly roundIsOver: Signalled;
}

interface Signalled {
  readonly promise: Promise<void>;
  readonly give: () => void;
}

function signalled(): Signalled {
  let give: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (give = resolve));
  return { promise, give };
}

interface Named {
  readonly transferId: string;
  readonly eventId: string;
}

const countedOn: ReadonlySet<TopicFamily> = new Set<TopicFamily>(['ledger-events', 'payout-events']);

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

/** None where somebody is behind. */
function pauseMsAfter(batches: readonly RecordBatch[]): number {
  const isBehind = batches.some(({ records, highWatermark }) => (records.at(-1)?.offset ?? 0n) + 1n < highWatermark);
  if (isBehind) return 0;
  return Math.min(turnLimits.pauseMsMax, recordsIn(batches) * turnLimits.pauseMsPerRecord);
}

function firstOf(turn: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', go);
      resolve();
    };
    const timer = setTimeout(go, turnLimits.patienceMsMax);
    signal.addEventListener('abort', go);
    void turn.then(go);
  });
}
