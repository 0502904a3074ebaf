// The same events, in any order of topics and batches, give the same row: what the fold promises holds through the shell.
import fc from 'fast-check';
import type { TopicDefinition } from '@compasso/contracts';
import { trackedTopics } from './reactions.ts';
import { trackerWorld, type TrackerWorld } from '../tracker-world.fixture.ts';
import { happyPath, type Message, team, transfer } from '../transfer-messages.fixture.ts';

/** What depends on when and in which batches it was read, and is not part of the fold. */
const rowOf = (world: TrackerWorld, transferId: string) => {
  const { statusSequence: _s, lookAt: _l, ...row } = world.view(transferId)!;
  return row;
};

const unhappyPath = (one: ReturnType<typeof transfer>): readonly Message[] => {
  const authorized = one.authorized(2);
  const rejected = one.rejected(2, authorized);
  return [one.reserved(1), authorized, one.submitted(1), rejected, one.released(3, rejected)];
};

it('order and batches do not show', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(happyPath, unhappyPath),
      fc.array(fc.nat({ max: 5 }), { maxLength: 12 }),
      fc.infiniteStream(fc.nat({ max: 20 })),
      async (path, cuts, picks) => {
        const one = transfer();
        const messages = path(one);
        const plain = await trackerWorld();
        await plain.receive(...messages);
        const mixed = await trackerWorld();
        const topics = trackedTopics([team]);
        const orders = [...messages].sort(() => (picks.next().value ?? 0) - 10);
        for (const [at, message] of orders.entries()) {
          await mixed.publish(message);
          const topic: TopicDefinition | undefined = topics[cuts[at] ?? topics.length];
          if (topic !== undefined) await mixed.consume(topic);
        }
        for (const topic of topics) await mixed.consume(topic);
        expect(rowOf(mixed, one.transferId)).toEqual(rowOf(plain, one.transferId));
        const told = mixed.feed().map(({ data }) => data.version);
        expect(told).toEqual([...told].sort((a, b) => a - b));
        expect(mixed.feed().at(-1)?.data.state).toBe(rowOf(plain, one.transferId).state);
      },
    ),
    { numRuns: 40 },
  );
});
