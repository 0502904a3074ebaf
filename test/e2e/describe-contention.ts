import { uuidv7 } from 'uuidv7';
import { eventually } from '@compasso/testing';
import { openAccount, orderOf, topicOrderOf } from '../../tools/demo/world.ts';
import type { Stage } from './stage.ts';

const wanted = 200;
const affordable = 50;
const amountCents = 1_000;

export function describeContention(stage: () => Stage): void {
  describe('200 transfers at once on money for 50', () => {
    it('over HTTP: exactly 50 holds, and 150 are told that the money is not enough', async () => {
      const { clients, world } = stage();
      const accountId = await openAccount(world, { fundsCents: affordable * amountCents });
      const order = orderOf({ accountId, amountCents, story: 'contention' });
      const asked = Array.from({ length: wanted }, () => clients.ledger.requestTransfer(uuidv7(), order));
      const answers = await Promise.all(asked);
      const refused = answers.filter(({ body }) => body.code === 'insufficient_funds');
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(affordable);
      expect(refused).toHaveLength(wanted - affordable);
      await expectHolds(accountId, affordable);
    });

    it('over both doors: exactly 50 holds', async () => {
      const { clients, world } = stage();
      const accountId = await openAccount(world, { fundsCents: affordable * amountCents });
      const orders = Array.from({ length: wanted / 2 }, () => topicOrderOf({ accountId, amountCents, story: 'contention' }));
      const overHttp = orders.map(() => clients.ledger.requestTransfer(uuidv7(), orderOf({ accountId, amountCents, story: 'contention' })));
      await Promise.all([clients.team.request(orders), ...overHttp]);
      await eventually(async () => (await clients.tracker.transfersOf(accountId)).length === wanted, {
        because: 'every request was decided',
        withinMs: 60_000,
      });
      await expectHolds(accountId, affordable);
    });
  });

  async function expectHolds(accountId: string, count: number): Promise<void> {
    const entries = await stage().clients.ledger.entries(accountId);
    expect(entries.filter(({ kind }) => kind === 'hold')).toHaveLength(count);
    const account = await eventually(
      async () => {
        const found = await stage().clients.ledger.account(accountId);
        return found.heldCents === 0 && found;
      },
      { because: 'all holds have ended', withinMs: 60_000 },
    );
    expect(account.availableCents).toBe(0);
  }
}
