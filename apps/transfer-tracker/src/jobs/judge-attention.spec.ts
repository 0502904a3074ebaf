import { ledgerEvents, payoutEvents } from '@compasso/contracts';
import { trackerWorld } from '../tracker-world.fixture.ts';
import { inMinutes, transfer } from '../transfer-messages.fixture.ts';

const minute = 60_000;

describe('attention as time passes', () => {
  it('is late once the deadline has passed and everything was read, and the feed says so', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.receive(one.reserved(1), one.authorized(2));
    world.moveOn(15 * minute);
    await world.judge();
    expect(world.view(one.transferId)).toMatchObject({ attention: 'none' });
    world.moveOn(minute);
    await world.judge();
    expect(world.view(one.transferId)).toMatchObject({ attention: 'late', state: 'funds_reserved' });
    expect(world.feed().at(-1)).toMatchObject({
      sequence: 2,
      data: { attention: 'late', version: 2, asOf: inMinutes(16) },
    });
    world.moveOn(30 * minute);
    await world.judge();
    expect(world.view(one.transferId)).toMatchObject({ attention: 'stuck', lookAt: null });
    expect(world.feed().map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it('names the event that began the silence as the cause, in its trace', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const authorized = one.authorized(2);
    await world.receive(one.reserved(1), authorized);
    world.moveOn(20 * minute);
    await world.judge();
    const last = world.feed().at(-1);
    expect(last?.traceparent).toContain(one.transferId.replaceAll('-', ''));
    const causes = world.events().map(({ eventId }) => eventId);
    expect(causes).toContain(last?.causationId);
  });

  it('is never late for what we have not read', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.receive(one.reserved(1), one.authorized(2));
    await world.judge();
    await world.publish(one.submitted(1));
    world.moveOn(20 * minute);
    await world.judge();
    expect(world.view(one.transferId)).toMatchObject({ attention: 'none' });
    await world.consume(payoutEvents);
    await world.judge();
    expect(world.view(one.transferId)).toMatchObject({ attention: 'none', state: 'submitted' });
  });

  it('catches up with silence that lies behind other partitions of the lag', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.receive(one.reserved(1), one.authorized(2));
    await world.publish(one.submitted(1));
    world.moveOn(20 * minute);
    await world.judge();
    world.moveOn(80 * minute);
    await world.judge();
    expect(world.view(one.transferId)?.attention).toBe('none');
    await world.consume(payoutEvents);
    await world.judge();
    expect(world.view(one.transferId)).toMatchObject({ attention: 'late', dueAt: expect.any(Number) as number });
  });

  it('goes away with the event that was missing', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.receive(one.reserved(1), one.authorized(2));
    world.moveOn(20 * minute);
    await world.judge();
    await world.receive(one.submitted(1));
    expect(world.view(one.transferId)).toMatchObject({ attention: 'none', state: 'submitted' });
    expect(world.feed().at(-1)?.data).toMatchObject({ attention: 'none', state: 'submitted' });
  });

  it('does not look at what has ended', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.publish(one.refused(1));
    await world.consume(ledgerEvents);
    world.moveOn(1_000 * minute);
    expect(await world.judge()).toBe(0);
  });
});
