// The demo's own stories, held to the table: those that leave the system alone at once, then the kills.
import { type Outcome, playStory, type Story } from '../../tools/demo/story.ts';
import { inOrderOfKilling } from '../../tools/demo/run-stories.ts';
import { stories } from '../../tools/demo/stories.ts';
import { axesOf } from '../../tools/demo/axes.ts';
import type { Stage } from './stage.ts';

const storyWithinMs = 150_000;

export function describeStories(stage: () => Stage): void {
  const gentle = stories.filter(({ kills }) => kills === undefined);
  const outcomes = new Map<string, Promise<Outcome>>();

  describe('stories', () => {
    beforeAll(() => {
      for (const story of gentle) outcomes.set(story.name, playStory(story, stage().world));
    });

    it.each(gentle.map((story) => [story.name, story] as const))(
      '%s',
      async (name, story) => expectToldRight(story, await outcomes.get(name)!),
      storyWithinMs,
    );
  });

  describe('stories with a SIGKILL', () => {
    it.each(inOrderOfKilling(stories).map((story) => [story.name, story] as const))(
      '%s',
      async (_, story) => {
        const outcome = await playStory(story, stage().world);
        expectToldRight(story, outcome);
        expect(outcome.transferIds.length).toBeGreaterThanOrEqual(stage().world.transfersPerKill);
        expect(outcome.remarks[0]).toMatch(/^killed pid \d+ .* succeeded by \d+$/);
      },
      storyWithinMs,
    );
  });
}

function expectToldRight(story: Story, outcome: Outcome): void {
  expect(outcome.complaints).toEqual([]);
  expect(axesOf(outcome)).toEqual(story.ends);
}
