import type { Contract, DataOf, Envelope, ServiceName, TopicDefinition } from '@compasso/contracts';
import type { Instant } from '@compasso/kernel';
import type { RecordBatch, Subscriber } from '../ports/transport.ts';
import type { WorkingSet } from './working-set.ts';

/** An event as a handler sees it. */
export interface ReceivedEvent<Data = unknown> {
  readonly envelope: Envelope;
  readonly contract: Contract;
  readonly data: Data;
  readonly key: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** When the broker took it: what "on time" is judged by. */
  readonly brokerInstant: Instant;
}

/** `ignored`: seen, and rightly without effect (a late answer, an event that this service only passes over). */
export type HandlerVerdict = 'applied' | 'ignored';

/** Pure but for the desk: reads rows that the desk has locked, replaces them, emits events. Never awaits. */
export type Handler<Desk, Data = unknown> = (event: ReceivedEvent<Data>, desk: Desk) => HandlerVerdict;

export interface Reaction<Desk> {
  readonly contract: Contract;
  readonly handle: Handler<Desk>;
}

export const on = <C extends Contract, Desk>(
  contract: C,
  handle: Handler<Desk, DataOf<C>>,
): Reaction<Desk> => ({ contract, handle: handle as Handler<Desk> });

/** A command whose envelope is readable and whose data is not valid. */
export interface InvalidCommand {
  readonly envelope: Envelope;
  readonly contract: Contract;
  readonly key: string;
  readonly invalidFields: readonly string[];
  readonly accountId: string | undefined;
}

export interface SubscriptionDefinition<Desk> {
  readonly topic: TopicDefinition;
  readonly reactions: readonly Reaction<Desk>[];
  /**
   * Whether later messages of the same transfer wait behind a dead one. Not on topics of requests (each command is a
   * saga of its own) and not in the tracker (its fold does not depend on order).
   */
  readonly parks: boolean;
  /**
   * Answers a readable command with bad data, and so decides commands; `pass-over` where somebody else does. Without either
   * such a message is a dead letter.
   */
  readonly onInvalidCommand?: ((command: InvalidCommand, desk: Desk) => void) | 'pass-over';
  /** Keeps events that have no reaction, unknown types included (the tracker stores everything). */
  readonly onOther?: (event: ReceivedEvent, desk: Desk) => HandlerVerdict;
}

/** What a service is to the shell: the same for `main.ts`, tests and simulation. */
export interface ServiceDefinition<Desk> {
  readonly name: ServiceName;
  /** `ce_source` of everything that it publishes. */
  readonly source: string;
  /** Locks, in the global lock order, all rows that these events can touch, and wraps them for the handlers. */
  readonly openDesk: (work: WorkingSet, events: readonly DeskReference[]) => Promise<Desk>;
  readonly subscriptions: readonly SubscriptionDefinition<Desk>[];
  /** Stands between the transport and each subscriber: topics whose batches touch the same rows meet here. */
  readonly inTurn?: (subscriber: Subscriber, atOnce: HandleAtOnce) => Subscriber;
}

/**
 * Commits the effects of batches of several topics in one transaction, or throws: it tries once, and looks for no bad message.
 * Whoever calls it has each subscriber handle its own batches then; what is done already is passed over there.
 */
export type HandleAtOnce = (batches: readonly RecordBatch[], signal: AbortSignal) => Promise<void>;

/** What is known of a message before its handler runs: enough to lock its rows. */
export interface DeskReference {
  /** `ce_id`: the id of a case that this event may open. */
  readonly eventId: string;
  readonly subject: string;
  readonly accountId: string | undefined;
  readonly contract: Contract | undefined;
  readonly data: unknown;
}
