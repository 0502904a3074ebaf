// A fact about a transfer, reduced to what the fold needs of it.
import type { Cents, Instant } from '@compasso/kernel';
import type { GatewayWord, LedgerWord } from './words.ts';

/**
 * Who said it. `command` is the ledger's refusal of a command that names the transfer: it has a subject and a sequence
 * of its own, and must never look like the end of the transfer (attack H6). `other` asks for nothing that we know.
 */
export type Origin = 'requester' | 'ledger' | 'gateway' | 'command' | 'other';

export interface SagaEvent {
  readonly id: string;
  readonly origin: Origin;
  readonly name: string;
  /** The broker's timestamp: one clock for all publishers. */
  readonly at: Instant;
  /** 1, 2, 3… per origin; requesters count nothing. */
  readonly sequence: number | null;
  readonly word: LedgerWord | GatewayWord | null;
  /** Id of the event that led to this one. */
  readonly cause: string | null;
  readonly reason: string | null;
  /** No first send after it. */
  readonly sendBefore: Instant | null;
  /** When a person is asked if nothing was proven by then. */
  readonly reviewAt: Instant | null;
  readonly description: Description | null;
  readonly traceparent: string | null;
}

/** What the transfer is, as far as one event tells it. */
export interface Description {
  readonly accountId: string;
  readonly amountCents: Cents | null;
  readonly keyType: string | null;
  readonly keyMasked: string | null;
  readonly clientReference: string | null;
  /** Serialised JSON. */
  readonly metadata: string | null;
  readonly requestedBy: string | null;
}
