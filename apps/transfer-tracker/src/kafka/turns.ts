// One batch at a time. Topics speak of the same transfers, so their batches would wait for each other's rows, each with a
// connection and a transaction in its hands; they wait here instead. The lane rows stay the guard against other replicas and
// rebuilds, so this is only thrift: whoever has waited long enough goes on beside the other.
import { setTimeout as pause } from 'node:timers/promises';
import { contractOfType, headerText, type TopicFamily } from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import type { RecordBatch, Subscriber } from '@compasso/messaging';

/** What was read and is not folded yet. */
export interface Waiting {
  /** Ids of events that will be folded into the transfer. */
  eventsOf(transferId: string): Iterable<string>;
}

export const nothingWaits: Waiting = { eventsOf: () => [] };

export const turnLimits = {
  patienceMsMax: 2_000,
  /** After a batch that left nothing unread: what arrives meanwhile costs one transaction, and one status per transfer. */
  pauseMsPerRecord: 0.5,
  pauseMsMax: 150,
} as const;

export class Turns implements Waiting {
  private last: Promise<unknown> = Promise.resolve();
  private ahead = 0;
  private readonly events = new Map<string, Set<string>>();

  inTurn(subscriber: Subscriber): Subscriber {
    return {
      ...subscriber,
      handle: (batches, signal) =>
        this.take({ batches, signal, work: () => subscriber.handle(batches, signal) }),
    };
  }

  eventsOf(transferId: string): Iterable<string> {
    return this.events.get(transferId) ?? [];
  }

  private async take({ batches, signal, work }: Turn): Promise<void> {
    const before = this.last;
    let giveOn: () => void = () => undefined;
    this.last = Promise.all([before, new Promise<void>((resolve) => (giveOn = resolve))]);
    this.ahead += 1;
    try {
      if (this.ahead > 1) await this.wait(before, batches, signal);
      signal.throwIfAborted();
      await work();
    } finally {
      void pause(pauseMsAfter(batches)).then(() => {
        this.ahead -= 1;
        giveOn();
      });
    }
  }

  private async wait(before: Promise<unknown>, batches: readonly RecordBatch[], signal: AbortSignal) {
    const named = batches.flatMap(({ records }) => records.flatMap(namesOf));
    for (const { transferId, eventId } of named) {
      const known = this.events.get(transferId);
      if (known === undefined) this.events.set(transferId, new Set([eventId]));
      else known.add(eventId);
    }
    await firstOf(before, signal);
    for (const { transferId, eventId } of named) {
      const known = this.events.get(transferId);
      known?.delete(eventId);
      if (known?.size === 0) this.events.delete(transferId);
    }
  }
}

interface Turn {
  readonly batches: readonly RecordBatch[];
  readonly signal: AbortSignal;
  readonly work: () => Promise<void>;
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

/** Nobody pauses who is behind. */
function pauseMsAfter(batches: readonly RecordBatch[]): number {
  const isBehind = batches.some(({ records, highWatermark }) => (records.at(-1)?.offset ?? 0n) + 1n < highWatermark);
  if (isBehind) return 0;
  const records = batches.reduce((sum, { records: { length } }) => sum + length, 0);
  return Math.min(turnLimits.pauseMsMax, records * turnLimits.pauseMsPerRecord);
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
