// The table of all stories: what `npm run demo` plays and what the end-to-end tests hold.
import { killedStory } from './kills/killed.ts';
import type { Story } from './story.ts';
import { cancelledBeforeRequest, cancelTooLate } from './stories/cancelled.ts';
import { deadlineReview, rejectedAc03, webhookDoubledForged } from './stories/decided-otherwise.ts';
import { happy, sameKey, topicRequest } from './stories/paid.ts';
import { insufficientFunds, nightLimit } from './stories/refused.ts';
import {
  acceptedThenTimeout,
  errorAfterAccept,
  neverSeenResubmitted,
  pendingThenConfirmed,
} from './stories/undecided.ts';

export const stories: readonly Story[] = [
  happy,
  topicRequest,
  sameKey,
  insufficientFunds,
  nightLimit,
  rejectedAc03,
  acceptedThenTimeout,
  neverSeenResubmitted,
  pendingThenConfirmed,
  errorAfterAccept,
  webhookDoubledForged,
  deadlineReview,
  cancelledBeforeRequest,
  cancelTooLate,
  killedStory({ name: 'killed-ledger', process: 'ledger', outboxOf: 'ledger' }),
  killedStory({ name: 'killed-gateway', process: 'payout-gateway', outboxOf: 'payout-gateway' }),
  killedStory({ name: 'killed-tracker', process: 'transfer-tracker', outboxOf: 'transfer-tracker' }),
  killedStory({ name: 'killed-kafka', process: 'kafka', outboxOf: 'ledger' }),
  killedStory({ name: 'killed-postgres', process: 'postgres', outboxOf: 'ledger' }),
];
