import { endings } from './axes.ts';
import type { TrackedTransfer } from '../client/tracker-client.ts';
import { CodedError } from '@compasso/kernel';
import { type Played, playStory, type Story } from './story.ts';
import type { World } from './world.ts';

const tracked = (transferId: string, change: object = {}) =>
  ({ transferId, ...endings.completed, traceId: 'abc', ...change }) as TrackedTransfer;

/** A world in which the tracker shows these transfers. */
function worldWith(...transfers: readonly TrackedTransfer[]): World {
  const transfer = async (id: string) => transfers.find(({ transferId }) => transferId === id);
  return { clients: { tracker: { transfer } } } as unknown as World;
}

const storyOf = (play: () => Promise<Played>): Story => ({ name: 'told', ends: endings.completed, play });
const told = (...transferIds: string[]) => storyOf(async () => ({ transferIds, complaints: [] }));

describe('a story', () => {
  it('is told right when every transfer ended as it says', async () => {
    const outcome = await playStory(told('one', 'two'), worldWith(tracked('one'), tracked('two')));
    expect(outcome).toMatchObject({ ok: true, transferId: 'one', complaints: [], ...endings.completed });
  });

  it('shows the transfer that ended otherwise', async () => {
    const lost = tracked('two', endings.inReview);
    const outcome = await playStory(told('one', 'two'), worldWith(tracked('one'), lost));
    expect(outcome).toMatchObject({
      ok: false,
      transferId: 'two',
      state: 'needs_review',
      complaints: ['two is needs_review, held, unknown, review, not completed, settled, confirmed'],
    });
  });

  it.each([
    ['a transfer that nobody knows', told('one'), 'one is unknown to the tracker'],
    ['no transfer', told(), 'no transfer came of it'],
    [
      'a failure',
      storyOf(async () => {
        throw new CodedError('no_answer', 'nobody answers');
      }),
      'could not be played: nobody answers',
    ],
  ])('complains about %s', async (_, story, complaint) => {
    const outcome = await playStory(story, worldWith());
    expect(outcome.ok).toBe(false);
    expect(outcome.complaints).toContain(complaint);
  });
});
