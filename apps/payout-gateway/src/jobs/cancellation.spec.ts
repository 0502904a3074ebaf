import { type PayeeKeys, payeeKeys } from './gateway-world.story.ts';
import { minutes, workerWorld } from './worker-world.story.ts';

let keys: PayeeKeys;
beforeAll(async () => {
  keys = await payeeKeys();
});

describe('a cancellation', () => {
  it('of what waits ends without a call, also while no call may begin', async () => {
    const { authorized, cancel, turn, payout, names, arrived } = workerWorld(keys, { submitsMax: 0 });
    const id = await authorized();
    await cancel(id);
    expect(payout(id)).toMatchObject({ state: 'cancelled' });
    await turn();
    expect(payout(id)).toMatchObject({
      state: 'rejected',
      outcomeCode: 'cancelled_by_requester',
      evidence: 'never_sent',
    });
    expect(names(id)).toEqual(['payout.rejected']);
    expect([arrived(id, 'submit').length, arrived(id, 'query').length]).toEqual([0, 1]);
  });

  it('of what has left is refused, and the payout goes on to its end', async () => {
    const { authorized, cancel, turn, provider, payout, names, clock } = workerWorld(keys);
    const id = await authorized();
    await turn();
    await cancel(id);
    expect(names(id)).toEqual(['payout.submitted', 'payout.cancel-refused']);
    provider.end(id, { status: 'paid' });
    clock.pass(1 * minutes);
    await turn();
    expect(payout(id).state).toBe('confirmed');
  });
});
