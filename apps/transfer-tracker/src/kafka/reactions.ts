// What the tracker listens to: every topic that says something about sagas. Nothing parks here, because the fold does not
// depend on order, and nothing is passed over, because what this build does not know it keeps for one that does.
import {
  type Contract,
  contracts,
  deadLetterClosedV1,
  deadLetterOpenedV1,
  deadLettersOf,
  ledgerEvents,
  payoutEvents,
  payoutReviewClosedV1,
  payoutReviewRequiredV1,
  serviceNames,
  type TopicDefinition,
  type TopicFamily,
  transferRequestsOf,
} from '@compasso/contracts';
import { on, type Reaction, type SubscriptionDefinition } from '@compasso/messaging';
import type { TrackerDesk } from '../postgres/tracker-desk.ts';
import { onDeadLetterClosed, onDeadLetterOpened } from './on-dead-letter-event.ts';
import { onOtherFact } from './on-other-fact.ts';
import { onPayoutReviewClosed, onPayoutReviewRequired } from './on-review-event.ts';
import { onTransferEvent } from './on-transfer-event.ts';

const special: readonly Reaction<TrackerDesk>[] = [
  on(payoutReviewRequiredV1, onPayoutReviewRequired),
  on(payoutReviewClosedV1, onPayoutReviewClosed),
  on(deadLetterOpenedV1, onDeadLetterOpened),
  on(deadLetterClosedV1, onDeadLetterClosed),
];

const ofAccounts: ReadonlySet<string> = new Set([
  'ledger.account-opened',
  'ledger.funds-deposited',
]);

const reactionTo = (contract: Contract): Reaction<TrackerDesk> =>
  special.find((reaction) => reaction.contract === contract) ??
  on(contract, ofAccounts.has(contract.name) ? onOtherFact : onTransferEvent);

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
    ...(topic.family === 'transfer-requests' ? { onInvalidCommand: () => undefined } : {}),
  }));
