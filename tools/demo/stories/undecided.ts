// Transfers about whose call nobody knows at first what it did: asked about until it is known, never paid twice.
import { endings } from '../axes.ts';
import type { Checks } from '../checks.ts';
import type { World } from '../world.ts';
import { checkPaidFor, faultStory, type Single, submissionsOf } from './single-transfer.ts';

const ends = endings.completed;

export const acceptedThenTimeout = faultStory({
  fault: 'accepted-then-timeout',
  ends,
  telling: true,
  look: async (single, world, checks) => {
    await checkPaidFor(single, world, checks);
    await checkSubmittedOnce(single, world, checks);
    const steps = await world.clients.tracker.timeline(single.transferId);
    checks.holds(steps.some(({ event }) => event === 'payout.outcome-unknown'), 'its outcome was never called unknown');
  },
});

export const errorAfterAccept = faultStory({
  fault: 'error-after-accept',
  ends,
  look: async (single, world, checks) => {
    await checkPaidFor(single, world, checks);
    await checkSubmittedOnce(single, world, checks);
  },
});

export const pendingThenConfirmed = faultStory({ fault: 'pending-then-confirmed', ends, look: checkPaidFor });

export const neverSeenResubmitted = faultStory({
  fault: 'never-seen-resubmitted',
  ends,
  look: async (single, world, checks) => {
    await checkPaidFor(single, world, checks);
    const puts = await submissionsOf(single, world);
    checks.equal('submissions', puts.length, 2);
    checks.equal('ids under which it was submitted', new Set(puts.map(({ path }) => path)).size, 1);
    checks.equal('contents with which it was submitted', new Set(puts.map(({ bodyDigest }) => bodyDigest)).size, 1);
  },
});

async function checkSubmittedOnce(single: Single, world: World, checks: Checks): Promise<void> {
  checks.equal('submissions', (await submissionsOf(single, world)).length, 1);
}
