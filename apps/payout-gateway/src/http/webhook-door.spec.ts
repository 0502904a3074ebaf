import { createHmac } from 'node:crypto';
import { eventLogTable, type MemoryUnitOfWork } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { gatewayWorld, manualClock, type PayeeKeys, payeeKeys } from '../jobs/gateway-world.story.ts';
import { payoutTable, webhookDeliveryTable } from '../postgres/tables.ts';
import { MemoryProvider } from '../provider/memory-provider.ts';
import { WebhookDoor } from './webhook-door.ts';

const secret = 'a-secret-of-the-provider';

let keys: PayeeKeys;
beforeAll(async () => {
  keys = await payeeKeys();
});

interface Claim {
  readonly id?: string;
  readonly payoutId: string;
  readonly status?: string;
  readonly key?: string;
  readonly ageMs?: number;
}

function setup(room = 0) {
  const clock = manualClock();
  const provider = new MemoryProvider({ now: () => clock.now() });
  const world = gatewayWorld({ provider, clock, keys });
  const unitOfWork = world.unitOfWork as MemoryUnitOfWork;
  let hints = 0;
  const door = new WebhookDoor({
    executor: world.shell.executor,
    desk: world.desk,
    transferIdOf: (orderId) => provider.transferIdOf(orderId),
    provider: provider.name,
    secrets: () => [secret],
    clock,
    roomForQuestions: () => room,
    onQuestion: (question) => world.worker.ask(question),
    onHint: () => void (hints += 1),
  });
  const signed = ({ id = uuidv7(), payoutId, status = 'paid', key = secret, ageMs = 0 }: Claim) => {
    const rawBody = Buffer.from(JSON.stringify({ id, type: 'payout.updated', payoutId, status }));
    const timestamp = String(Math.trunc((clock.now() - ageMs) / 1_000));
    const signature = createHmac('sha256', key).update(`${timestamp}.`).update(rawBody).digest('hex');
    return { rawBody, timestamp, signature };
  };
  const submitted = async (): Promise<string> => {
    const transferId = uuidv7();
    await world.authorize({ transferId });
    await world.turn();
    return transferId;
  };
  const payout = (id: string) => unitOfWork.rowsOf(payoutTable).find(({ transferId }) => transferId === id)!;
  const kept = () => unitOfWork.rowsOf(webhookDeliveryTable);
  const deliver = (claim: Claim) => door.take(signed(claim));
  return {
    ...world,
    unitOfWork,
    clock,
    provider,
    door,
    signed,
    submitted,
    payout,
    kept,
    deliver,
    hints: () => hints,
  };
}

describe('a webhook', () => {
  it('makes the next question due now, and the question decides', async () => {
    const { submitted, provider, deliver, payout, clock, turn, hints } = setup();
    const id = await submitted();
    provider.end(id, { status: 'paid' });
    clock.pass(50);
    expect(await deliver({ payoutId: id })).toBe('hint');
    expect(payout(id)).toMatchObject({ state: 'submitted', dueAt: clock.now() });
    expect(hints()).toBe(1);
    await turn();
    expect(payout(id).state).toBe('confirmed');
  });

  it('puts the question at once where there is room, and only once', async () => {
    const { submitted, provider, deliver, payout, worker, hints } = setup(1);
    const id = await submitted();
    provider.end(id, { status: 'paid' });
    await Promise.all([deliver({ payoutId: id }), deliver({ payoutId: id })]);
    await worker.settled();
    expect(payout(id)).toMatchObject({ state: 'confirmed', checks: 1 });
    expect(hints()).toBe(1);
  });

  it('is not believed: a claim that the payout failed, under a right signature, changes nothing', async () => {
    const { submitted, provider, deliver, payout, turn } = setup();
    const id = await submitted();
    provider.end(id, { status: 'paid' });
    await deliver({ payoutId: id, status: 'failed' });
    await turn();
    expect(payout(id).state).toBe('confirmed');
  });

  it('counts once, however often it comes', async () => {
    const { submitted, deliver, kept, hints } = setup();
    const payoutId = await submitted();
    const claim = { id: 'event-1', payoutId };
    const verdicts = await Promise.all([deliver(claim), deliver(claim), deliver(claim)]);
    expect(verdicts.sort()).toEqual(['duplicate', 'duplicate', 'hint']);
    expect(await deliver(claim)).toBe('duplicate');
    expect(kept()).toHaveLength(1);
    expect(hints()).toBe(1);
  });

  it('is kept and refused when nobody we know has signed it, and changes nothing', async () => {
    const { submitted, deliver, kept, payout, hints, unitOfWork } = setup();
    const payoutId = await submitted();
    const before = { payout: payout(payoutId), events: unitOfWork.rowsOf(eventLogTable).length };
    await expect(deliver({ payoutId, key: 'a-guess' })).rejects.toMatchObject({
      status: 401,
      code: 'webhook_signature_invalid',
    });
    await expect(deliver({ payoutId, ageMs: 3_600_000 })).rejects.toMatchObject({
      status: 401,
      code: 'webhook_timestamp_out_of_range',
    });
    expect(
      kept()
        .map(({ verdict }) => verdict)
        .sort(),
    ).toEqual(['signature_invalid', 'timestamp_out_of_range']);
    expect({ payout: payout(payoutId), events: unitOfWork.rowsOf(eventLogTable).length }).toEqual(before);
    expect(hints()).toBe(0);
  });

  it('cannot be kept from counting by a forgery that used its id first', async () => {
    const { submitted, deliver } = setup();
    const payoutId = await submitted();
    await expect(deliver({ id: 'event-1', payoutId, key: 'a-guess' })).rejects.toMatchObject({ status: 401 });
    expect(await deliver({ id: 'event-1', payoutId })).toBe('hint');
  });

  it('that is forged is refused again when it comes again, and kept once', async () => {
    const { submitted, door, signed, kept } = setup();
    const forged = signed({ payoutId: await submitted(), key: 'a-guess' });
    await expect(door.take(forged)).rejects.toMatchObject({ status: 401 });
    await expect(door.take(forged)).rejects.toMatchObject({ status: 401 });
    expect(kept()).toHaveLength(1);
  });

  it('about a payout that we do not have, or that nobody can have, is kept', async () => {
    const { deliver, kept } = setup();
    expect(await deliver({ payoutId: uuidv7() })).toBe('unknown_payout');
    expect(await deliver({ payoutId: 'not-a-name-of-ours' })).toBe('unknown_payout');
    expect(kept()).toHaveLength(2);
  });

  it('that cannot be read is kept and answered well: a repeat would say the same', async () => {
    const { door, clock, kept } = setup();
    const unreadable = [
      '',
      'null',
      '[]',
      '{"id":1}',
      `{"id":"1","type":"t","payoutId":"\\u0000","status":"paid"}`,
    ];
    for (const text of unreadable) {
      const rawBody = Buffer.from(text);
      const timestamp = String(Math.trunc(clock.now() / 1_000));
      const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex');
      expect(await door.take({ rawBody, timestamp, signature })).toBe('unreadable');
    }
    expect(kept()).toHaveLength(unreadable.length);
  });
});
