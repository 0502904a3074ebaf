// Publishes committed events in the order in which their rows were taken, and forgets the outbox row only after the broker's
// acknowledgement. It reads the table, oldest first; nothing of a transfer leaves before its predecessor is acknowledged. So
// a second relay, or a crash between the two steps, can repeat an event but never reorder or lose one (attack H24).
import type { Instant } from '@compasso/kernel';
import type { Leadership } from '../ports/leadership.ts';
import type { OutgoingRecord, Transport } from '../ports/transport.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { HeldBack, type Sendable, Suspects } from './held-back.ts';
import { readOutbox } from './outbox-page.ts';
import { Sending } from './sending.ts';

export const relayLimits = { rowsMax: 500, pagesMax: 40, pollMs: 25 } as const;

export interface RelayParts {
  readonly unitOfWork: UnitOfWork;
  readonly transport: Pick<Transport, 'publish'>;
  readonly leadership: Leadership;
  readonly partitionOf: (key: string) => number;
  readonly observe: (observation: RelayObservation) => void;
  /** A clock that only runs forward, in milliseconds. */
  readonly monotonicNow?: (() => number) | undefined;
}

export type RelayObservation =
  | { readonly kind: 'published'; readonly records: readonly OutgoingRecord[]; readonly seconds: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly records: number }
  | { readonly kind: 'orphaned'; readonly eventId: string; readonly recordedOn: string }
  | { readonly kind: 'backlog'; readonly rows: number; readonly oldest: Instant | undefined };

/** What one round came to; the caller decides when the next one begins. */
export interface RelayRound {
  readonly published: number;
  /** More rows wait than one round takes. */
  readonly more: boolean;
  /** Nothing could leave: the broker is away. */
  readonly failed: boolean;
}

const idle: RelayRound = { published: 0, more: false, failed: false };

export class OutboxRelay {
  private readonly parts: RelayParts;
  private readonly heldBack: HeldBack;
  private readonly orphans = new Set<string>();
  private readonly suspects = new Suspects();

  constructor(parts: RelayParts) {
    this.parts = parts;
    this.heldBack = new HeldBack(parts.monotonicNow ?? (() => performance.now()));
  }

  async round(): Promise<RelayRound> {
    const { leadership, unitOfWork, partitionOf, observe } = this.parts;
    if (!leadership.isLeader()) return idle;
    const { rowsMax, pagesMax } = relayLimits;
    const mustWait = this.heldBack.mustWait.bind(this.heldBack);
    const isFresh = (one: Sendable): boolean => this.suspects.rank(one) === 0;
    const options = { rowsMax, pagesMax, mustWait, isFresh, partitionOf };
    const page = await unitOfWork.run((transaction) => readOutbox(transaction, options));
    observe({ kind: 'backlog', rows: page.rows, oldest: page.oldest });
    this.reportOrphans(page.orphans);
    if (page.sendable.length === 0) return idle;
    const { published, away } = await new Sending(this.parts, this.heldBack, this.suspects).send(page.sendable);
    // Rows that failed are held now, or waited in vain for their turn: the rest of the page has its chance at once.
    return { published, more: published > 0 && (page.more || published < page.sendable.length), failed: away };
  }

  private reportOrphans(orphans: readonly { readonly eventId: string; readonly recordedOn: string }[]): void {
    for (const { eventId, recordedOn } of orphans) {
      if (this.orphans.has(eventId)) continue;
      this.orphans.add(eventId);
      this.parts.observe({ kind: 'orphaned', eventId, recordedOn });
    }
  }
}
