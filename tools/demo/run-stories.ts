// Plays stories: those that leave the system alone at the same time, those that kill one after the other. The slowest of
// the first kind goes on in the background while the killing begins.
import type { Screen } from './screen.ts';
import { type Outcome, playStory, type Story } from './story.ts';
import type { World } from './world.ts';

export async function runStories(chosen: readonly Story[], world: World, screen: Screen): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>();
  const play = async (story: Story) => {
    const outcome = await playStory(story, world);
    outcomes.set(story.name, outcome);
    screen.outcome(outcome);
    if (story.telling === true && outcome.transferId !== '') await tell(outcome, world, screen);
  };
  const gentle = chosen.filter(({ kills }) => kills === undefined);
  const waiting = gentle.filter(isPatient).map(play);
  await Promise.all(gentle.filter((story) => !isPatient(story)).map(play));
  for (const story of inOrderOfKilling(chosen)) await play(story);
  await Promise.all(waiting);
  return chosen.map(({ name }) => outcomes.get(name)!);
}

/** A killed service takes spans along: it comes last, so that the traces of everybody before it are whole. */
export const inOrderOfKilling = (stories: readonly Story[]): readonly Story[] => [
  ...stories.filter(({ kills }) => kills === 'infrastructure'),
  ...stories.filter(({ kills }) => kills === 'service'),
];

/** It ends when a deadline passes: no kill nearby changes that. */
const isPatient = ({ ends }: Story): boolean => ends.state === 'needs_review';

async function tell(outcome: Outcome, { clients }: World, screen: Screen): Promise<void> {
  const steps = await clients.tracker.timeline(outcome.transferId).catch(() => []);
  screen.timeline(outcome, steps);
}
