// A service's messaging, composed over the two ports: `main.ts` hands in Postgres and Kafka, tests and the simulation hand in
// the twins. Everything in between is the same code.
import { deadLettersOf, ledgerEvents, partitionOf, payoutEvents, type TopicDefinition, transferStatus } from '@compasso/contracts';
import { invariant, type NewId } from '@compasso/kernel';
import type { Leadership } from '../ports/leadership.ts';
import type { Subscriber, Subscription, Transport } from '../ports/transport.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { OutboxRelay, type RelayObservation } from '../relay/outbox-relay.ts';
import type { BatchContext } from './batch.ts';
import type { BatchObservation } from './consume.ts';
import type { Emission } from './emission.ts';
import { type Executor, makeExecutor } from './execute.ts';
import type { ServiceDefinition } from './reaction.ts';
import { makeReplayer, type Replayer } from './replay.ts';
import type { Staging } from './stage.ts';
import { subscribersOf } from './subscribers.ts';

export interface ShellPorts {
  readonly unitOfWork: UnitOfWork;
  readonly transport: Transport;
  readonly leadership: Leadership;
  readonly newId: NewId;
  readonly pauseBeforeRetry: (attempt: number) => Promise<void>;
  readonly observe: (observation: BatchObservation | RelayObservation) => void;
  /** Told after each commit that staged events. */
  readonly wake: () => void;
}

export interface ServiceShell {
  readonly executor: Executor;
  readonly relay: OutboxRelay;
  readonly replayer: Replayer;
  /** One per topic, to be handed to the transport. */
  readonly subscribers: readonly Subscriber[];
  subscribeAll(): Promise<readonly Subscription[]>;
}

/** One group per service and topic: kafkajs's assigner leaves partitions unread when members' topic lists differ. */
export const groupOf = (service: string, topic: string): string => `${service}.${topic}`;

export function composeShell<Desk>(definition: ServiceDefinition<Desk>, ports: ShellPorts): ServiceShell {
  refuseDoubleReactions(definition);
  const contexts = contextsOf(definition, ports.newId);
  const subscribers = subscribersOf(contexts, ports, definition.inTurn);
  return {
    executor: makeExecutor({ ...ports, staging: stagingOf(definition, ports.newId) }),
    relay: new OutboxRelay({ ...ports, partitionOf }),
    replayer: makeReplayer(contexts, ports),
    subscribers,
    subscribeAll: () => Promise.all(subscribers.map((subscriber) => ports.transport.subscribe(subscriber))),
  };
}

/** For a process of its own that only replays: its events leave through the relays of the running service. */
export const composeReplayer = <Desk>(
  definition: ServiceDefinition<Desk>,
  ports: Pick<ShellPorts, 'unitOfWork' | 'newId' | 'pauseBeforeRetry'>,
): Replayer => makeReplayer(contextsOf(definition, ports.newId), { ...ports, wake: () => undefined });

const stagingOf = (definition: Pick<ServiceDefinition<unknown>, 'name' | 'source'>, newId: NewId): Staging => ({
  source: definition.source,
  newId,
  topicOf: (emission) => topicOf(definition, emission),
});

function contextsOf<Desk>(definition: ServiceDefinition<Desk>, newId: NewId): readonly BatchContext<Desk>[] {
  const staging = stagingOf(definition, newId);
  return definition.subscriptions.map((subscription) => ({
    service: definition,
    subscription,
    group: groupOf(definition.name, subscription.topic.name),
    staging,
    hasPosition: () => false,
  }));
}

const ownTopics: Record<string, TopicDefinition> = {
  'ledger-events': ledgerEvents,
  'payout-events': payoutEvents,
  'transfer-status': transferStatus,
};

function topicOf(definition: Pick<ServiceDefinition<unknown>, 'name' | 'source'>, { contract }: Emission): TopicDefinition {
  const topic = contract.family === 'dead-letters' ? deadLettersOf(definition.name) : ownTopics[contract.family];
  invariant(topic !== undefined, 'an event has a topic', { type: contract.type });
  invariant(topic.source === definition.source, 'a service writes only to its own topics', {
    type: contract.type,
    service: definition.name,
  });
  return topic;
}

function refuseDoubleReactions<Desk>(definition: ServiceDefinition<Desk>): void {
  for (const { topic, reactions } of definition.subscriptions) {
    const types = reactions.map(({ contract }) => contract.type);
    invariant(new Set(types).size === types.length, 'one handler per event and topic', { topic: topic.name });
    const foreign = reactions.find(({ contract }) => contract.family !== topic.family);
    invariant(foreign === undefined, 'a reaction listens where its event is published', {
      topic: topic.name,
      type: foreign?.contract.type,
    });
  }
}
