import { centsOf, evolveAll, instantOf } from '@compasso/kernel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FaultName } from '../domain/fault-catalogue.ts';
import { evolve, type Order, type PayoutEvent, unseenPayout } from '../domain/payout.ts';
import { SimulatorStore } from './simulator-store.ts';

const at = (milliseconds: number) => instantOf(1_800_000_000_000 + milliseconds);
const id = (number: number) => `01980000-0000-7000-8000-${String(number).padStart(12, '0')}`;

const order = (number: number, differs: Partial<Order> = {}): Order => ({
  orderId: id(900 + number),
  payoutId: id(number),
  amountCents: centsOf(15_000),
  keyType: 'CPF',
  keyMasked: '***982247**',
  endToEndId: 'E12345678202601011200abcdefghijk',
  requestDigest: 'digest',
  fault: 'none',
  createdAt: at(0),
  updatedAt: at(0),
  visibleFrom: at(0),
  progress: { status: 'processing', due: { at: at(50), ending: { status: 'paid' } } },
  ...differs,
});

const failing = {
  progress: {
    status: 'processing',
    due: { at: at(50), ending: { status: 'failed', code: 'AC03' } },
  },
} as const;

const histories: readonly (readonly [string, readonly PayoutEvent[]])[] = [
  ['unseen', []],
  ['kept out twice', [keptOut('never-seen-thrice'), keptOut('never-seen-thrice')]],
  ['kept out, then accepted', [keptOut('never-seen-resubmitted'), accepted(order(1))]],
  ['accepted, with a trace', [accepted(order(1, { traceparent: '00-a-b-01' }))]],
  ['never ending', [accepted(order(1, { progress: { status: 'processing' } }))]],
  ['to fail', [accepted(order(1, failing))]],
  ['paid', [accepted(order(1)), { type: 'OrderPaid', orderId: id(901), at: at(60) }]],
  [
    'failed',
    [accepted(order(1)), { type: 'OrderFailed', orderId: id(901), at: at(60), code: 'AC03' }],
  ],
];

function keptOut(fault: FaultName): PayoutEvent {
  return { type: 'CallKeptOut', fault };
}
function accepted(accepting: Order): PayoutEvent {
  return { type: 'OrderAccepted', order: accepting };
}
describe('the store', () => {
  const folders: string[] = [];
  const setup = () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulator-store-'));
    folders.push(folder);
    const file = join(folder, 'store.sqlite');
    return { file, store: new SimulatorStore(file) };
  };
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  it.each(histories)('remembers a payout that is %s, after a restart too', async (_, events) => {
    const { file, store } = setup();
    await store.inOneCommit(() => store.apply(id(1), events));
    const expected = evolveAll(evolve, unseenPayout, events);
    expect(store.orders.payout(id(1))).toEqual(expected);
    store.close();
    const again = new SimulatorStore(file);
    expect(again.orders.payout(id(1))).toEqual(expected);
    again.close();
  });

  it('knows which orders will end by themselves', async () => {
    const { store } = setup();
    const endless = order(3, { progress: { status: 'processing' } });
    await store.inOneCommit(() => {
      for (const one of [order(1), order(2, failing), endless])
        store.apply(one.payoutId, [accepted(one)]);
      store.apply(id(2), [{ type: 'OrderFailed', orderId: id(902), at: at(10), code: 'AC03' }]);
    });
    expect(store.orders.due()).toEqual([order(1)]);
    store.close();
  });

  it('lists by the instant of the last change, page by page, without what is hidden', async () => {
    const { store } = setup();
    await store.inOneCommit(() => {
      for (const number of [1, 2, 3]) store.apply(id(number), [accepted(order(number))]);
      store.apply(id(4), [accepted(order(4, { visibleFrom: at(1_000) }))]);
      store.apply(id(1), [{ type: 'OrderPaid', orderId: id(901), at: at(60) }]);
    });
    const window = { from: at(0), to: at(100), visibleAt: at(60) };
    const first = store.orders.list({ ...window, limit: 2 });
    expect(first.map(({ order: { payoutId } }) => payoutId)).toEqual([id(2), id(3)]);
    const after = first.at(-1)?.position;
    const second = store.orders.list({ ...window, limit: 2, ...(after && { after }) });
    expect(second.map(({ order: { payoutId } }) => payoutId)).toEqual([id(1)]);
    expect(
      store.orders.list({ ...window, to: at(60), limit: 9 }).map((one) => one.order.payoutId),
    ).toEqual([id(2), id(3)]);
    store.close();
  });

  it('counts orders that can pay or have paid, per payout, and can show two', async () => {
    const { store } = setup();
    await store.inOneCommit(() => {
      for (const number of [1, 2, 3]) store.apply(id(number), [accepted(order(number))]);
      store.apply(id(2), [{ type: 'OrderFailed', orderId: id(902), at: at(9), code: 'AC03' }]);
      store.apply(id(3), [accepted(order(3, { orderId: id(999) }))]);
    });
    expect(store.orders.live('', 10)).toEqual([
      { payoutId: id(1), orders: 1, amountCents: 15_000n },
      { payoutId: id(3), orders: 2, amountCents: 30_000n },
    ]);
    expect(store.orders.live(id(1), 10).map(({ payoutId }) => payoutId)).toEqual([id(3)]);
    store.close();
  });

  it('can be read by another process while it is written', async () => {
    const { file, store } = setup();
    await store.inOneCommit(() => store.apply(id(1), [accepted(order(1))]));
    const reader = new DatabaseSync(file, { readOnly: true });
    expect(reader.prepare('select orders from live_orders').all()).toEqual([{ orders: 1 }]);
    reader.close();
    store.close();
  });

  it('fails a bad piece of a group alone', async () => {
    const { store } = setup();
    const good = store.inOneCommit(() => store.apply(id(1), [accepted(order(1))]));
    const bad = store.inOneCommit(() => {
      store.apply(id(2), [accepted(order(2))]);
      throw new TypeError('broken');
    });
    await expect(bad).rejects.toThrow('broken');
    await good;
    expect(store.orders.payout(id(1)).situation).toBe('ordered');
    expect(store.orders.payout(id(2)).situation).toBe('unseen');
    store.close();
  });

  it('remembers no end that was undone', async () => {
    const { store } = setup();
    await store.inOneCommit(() => store.apply(id(1), [accepted(order(1))]));
    const undone = store.inOneCommit(() => {
      store.apply(id(1), [{ type: 'OrderPaid', orderId: id(901), at: at(60) }]);
      throw new TypeError('broken');
    });
    await expect(undone).rejects.toThrow('broken');
    expect(store.orders.payout(id(1))).toEqual({ situation: 'ordered', order: order(1) });
    store.close();
  });

  it('lists the calls of one payout, whenever they came', async () => {
    const { store } = setup();
    const call = { at: at(0), method: 'GET', path: '/', answer: '404' };
    const record = (number: number) =>
      store.inOneCommit(() => store.calls.record({ ...call, payoutId: id(number) }));
    const listed = () => store.calls.list({ payoutId: id(1), after: 0, limit: 9 }).length;
    for (const number of [1, 2, 1]) await record(number);
    expect(listed()).toBe(2);
    await record(1);
    expect(listed()).toBe(3);
    store.close();
  });

  it('keeps faults set by hand over a restart', async () => {
    const { file, store } = setup();
    const settings = { rules: [{ fault: 'webhook-lost', share: 0.5 }], outage: 'silence' } as const;
    await store.replaceFaults(settings);
    store.close();
    const again = new SimulatorStore(file);
    expect(again.settings.current).toEqual(settings);
    again.close();
  });

  it('refuses a file of another version', () => {
    const { file, store } = setup();
    store.close();
    const database = new DatabaseSync(file);
    database.exec('pragma user_version = 99');
    database.close();
    expect(() => new SimulatorStore(file)).toThrow(
      expect.objectContaining({ code: 'simulator_store_version' }),
    );
  });

  it('tries a notification until it is delivered or given up', async () => {
    const { store } = setup();
    const planned = {
      eventId: 'first',
      payoutId: id(1),
      claims: 'paid',
      occurredAt: at(0),
      dueAt: at(10),
      signature: 'right',
    } as const;
    const [first, second] = await store.inOneCommit(() => [
      store.notifications.plan(planned),
      store.notifications.plan({ ...planned, eventId: 'second' }),
    ]);
    expect(first).toMatchObject({ ...planned, attempts: 0 });
    expect(store.notifications.planned()).toEqual([first, second]);
    await store.inOneCommit(() => {
      store.notifications.failed(first?.number ?? 0, at(20));
      store.notifications.failed(second?.number ?? 0, undefined);
    });
    expect(store.notifications.planned()).toEqual([{ ...first, dueAt: at(20), attempts: 1 }]);
    await store.inOneCommit(() => store.notifications.delivered(first?.number ?? 0));
    expect(store.notifications.planned()).toEqual([]);
    store.close();
  });
});
