import { sourceOfService } from '@compasso/contracts';
import type { ServiceDefinition } from '@compasso/messaging';
import { patience } from './domain/next-step.ts';
import type { Rules } from './domain/transfer-view.ts';
import { subscriptionsOf } from './kafka/reactions.ts';
import { scoreView } from './kafka/score-view.ts';
import { Turns } from './kafka/turns.ts';
import { openTrackerDesk, type TrackerDesk } from './postgres/tracker-desk.ts';

/** What the tracker holds sagas against: the score, and a patience that is scaled like all waiting. */
export const trackerRules = (timeScale: number): Rules => ({
  patience: patience(timeScale),
  score: scoreView,
});

export interface TrackerScope {
  readonly requestTeams: readonly string[];
  readonly rules: Rules;
}

export const trackerDefinition = ({
  requestTeams,
  rules,
}: TrackerScope): ServiceDefinition<TrackerDesk> => {
  const turns = new Turns();
  return {
    name: 'transfer-tracker',
    source: sourceOfService('transfer-tracker'),
    openDesk: openTrackerDesk(rules, turns),
    subscriptions: subscriptionsOf(requestTeams),
    inTurn: (subscriber, atOnce) => turns.inTurn(subscriber, atOnce),
  };
};
