// What the tracker listens to: every topic that says something about sagas. Nothing parks here, because the fold does not
// depend on order, and nothing is passed over, because what this build does not know it keeps for one that does.
import {
  type Contract,
  contracts,
  deadLettersOf,
  ledgerEvents,
  payoutEvents,
  serviceNames,
  type TopicDefinition,
  type TopicFamily,
  transferRequestsOf,
} from '@compasso/contracts';
import {
  type HandlerVerdict,
  on,
  type Reaction,
  type ReceivedEvent,
  type SubscriptionDefinition,
} from '@compasso/messaging';
import type { TrackerDesk } from '../postgres/tracker-desk.ts';
import { onDeadLetterEvent, onReviewEvent } from './on-case-event.ts';
import { onOtherFact } from './on-other-fact.ts';
import { onTransferEvent } from './on-transfer-event.ts';
import { notOfTransfers } from './saga-event-of.ts';

type Handle = (event: ReceivedEvent, desk: TrackerDesk) => HandlerVerdict;

const ofCases: Readonly<Record<string, Handle>> = {
  'payout.review-required': onReviewEvent,
  'payout.review-closed': onReviewEvent,
  'dead-letter.opened': onDeadLetterEvent,
  'dead-letter.closed': onDeadLetterEvent,
};

const handlerOf = ({ name }: Contract): Handle =>
  ofCases[name] ?? (notOfTransfers.has(name) ? onOtherFact : onTransferEvent);

const reactionTo = (contract: Contract): Reaction<TrackerDesk> =>
  on<Contract, TrackerDesk>(contract, handlerOf(contract));

const reactionsOf = (family: TopicFamily): readonly Reaction<TrackerDesk>[] =>
  contracts.filter((contract) => contract.family === family).map(reactionTo);

/** The topics in the order in which a saga meets them. */
export const trackedTopics = (requestTeams: readonly string[]): readonly TopicDefinition[] => [
  ...requestTeams.map(transferRequestsOf),
  ledgerEvents,
  payoutEvents,
  ...serviceNames.map(deadLettersOf),
];

export const subscriptionsOf = (
  requestTeams: readonly string[],
): readonly SubscriptionDefinition<TrackerDesk>[] =>
  trackedTopics(requestTeams).map((topic) => ({
    topic,
    parks: false,
    reactions: reactionsOf(topic.family),
    onOther: topic.family === 'dead-letters' ? onOtherFact : onTransferEvent,
    // The ledger answers a bad request with an event of its own, and that is what is recorded.
    ...(topic.family === 'transfer-requests' ? { onInvalidCommand: 'pass-over' as const } : {}),
  }));
