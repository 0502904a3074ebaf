// SIGKILL for services picked at random, again and again, and for Kafka and Postgres in between, while requests keep
// coming. Afterwards everything has ended and the books are right, judged through HTTP alone.
import { eventually } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import { openAccount, orderOf, topicOrderOf, type World } from '../../tools/demo/world.ts';
import { databaseOwners, type ProcessName } from '../../tools/system/names.ts';
import type { Stage } from './stage.ts';

const chaosForMs = 30_000;
const requestsPerRound = 6;
const roundsPerKill = 3;
const endedWithinMs = 120_000;
/** Which kill hits what all services stand upon. */
const infrastructureAt = new Map<number, ProcessName>([
  [3, 'postgres'],
  [7, 'kafka'],
]);
const fundsCents = 100_000_000;
const amountCents = 1_000;
const terminal = new Set(['completed', 'compensated', 'refused']);

export function describeChaos(stage: () => Stage): void {
  describe('random SIGKILLs under load', () => {
    const accountIds: string[] = [];
    const killed: string[] = [];
    let asked = 0;

    it('every transfer that was asked for ends', async () => {
      const { clients, world, system } = stage();
      accountIds.push(...(await Promise.all(Array.from({ length: 4 }, () => openAccount(world, { fundsCents })))));
      const until = performance.now() + chaosForMs;
      for (let round = 0; performance.now() < until; round += 1) {
        if (round % roundsPerKill === 0) killed.push(killSomebody(stage(), infrastructureAt.get(killed.length)));
        asked += await askFor(requestsPerRound, accountIds, world);
      }
      world.say(`killed ${killed.join(', ')} while ${asked} transfers were asked for`);
      await system.waitReady();
      await eventually(
        async () => {
          const transfers = (await Promise.all(accountIds.map((id) => clients.tracker.transfersOf(id)))).flat();
          return transfers.length === asked && transfers.every(({ state }) => terminal.has(state));
        },
        { because: `all ${asked} transfers end after SIGKILLs for ${killed.join(', ')}`, withinMs: endedWithinMs },
      );
      expect(killed.length).toBeGreaterThan(2);
    }, chaosForMs + endedWithinMs + 180_000);

    it('the books are right, asked through HTTP alone', async () => {
      const { clients } = stage();
      for (const accountId of accountIds) {
        const transfers = await clients.tracker.transfersOf(accountId);
        const paid = transfers.filter(({ state }) => state === 'completed').length;
        expect(await clients.ledger.account(accountId)).toMatchObject({
          availableCents: fundsCents - paid * amountCents,
          heldCents: 0,
        });
        const entries = await clients.ledger.entries(accountId);
        expect(entries.filter(({ kind }) => kind === 'settle')).toHaveLength(paid);
        expect(entries.flatMap(({ postings }) => postings).reduce((sum, posting) => sum + posting.amountCents, 0)).toBe(0);
      }
      const books = await clients.ledger.books();
      expect(books).toMatchObject({ sumCents: 0, violations: [] });
      expect(Object.values(books.books).reduce((sum, cents) => sum + cents, 0)).toBe(0);
    });

    it('the provider has exactly one order for each that was completed', async () => {
      const { clients } = stage();
      const transfers = (await Promise.all(accountIds.map((id) => clients.tracker.transfersOf(id)))).flat();
      const orders = new Map<string, number>();
      for (const { id, live } of await clients.simulator.orders()) orders.set(id, (orders.get(id) ?? 0) + (live ? 1 : 0));
      const wrong = transfers.filter(({ transferId, state }) => (orders.get(transferId) ?? 0) !== (state === 'completed' ? 1 : 0));
      expect(wrong.map(({ transferId, state }) => ({ transferId, state, orders: orders.get(transferId) }))).toEqual([]);
    });
  });
}

/** A process that is being started again just now is left alone. */
function killSomebody({ system }: Stage, wanted: ProcessName | undefined): string {
  const isWanted = (name: ProcessName) => (wanted === undefined ? databaseOwners.some((owner) => owner === name) : name === wanted);
  const running = system.processes().filter(({ name }) => isWanted(name));
  const victim = running[Math.floor(Math.random() * running.length)];
  if (victim === undefined) return 'nobody';
  const pid = system.kill(victim.name, victim.replica, 'SIGKILL');
  return `${victim.name} ${victim.replica} (${pid})`;
}

async function askFor(count: number, accountIds: readonly string[], { clients }: World): Promise<number> {
  const wish = (at: number) => ({ accountId: accountIds[at % accountIds.length]!, amountCents, story: 'chaos' });
  const orders = Array.from({ length: count / 2 }, (_, at) => topicOrderOf(wish(at)));
  const posts = Array.from({ length: count / 2 }, (_, at) => clients.ledger.requestTransfer(uuidv7(), orderOf(wish(at))));
  const [, ...answers] = await Promise.all([clients.team.request(orders), ...posts]);
  expect(answers.map(({ status }) => status)).toEqual(posts.map(() => 202));
  return count;
}
