import { policyFor } from '../domain/policy.ts';
import type { Queried, Submitted } from '../provider/provider.port.ts';
import { manualClock } from './gateway-world.story.ts';
import { type GateOptions, ProviderGate } from './provider-gate.ts';

const accepted: Submitted = { outcome: { kind: 'accepted', isFinal: false } };
const timedOut: Submitted = { outcome: { kind: 'unknown', cause: 'timeout' } };
const refused: Submitted = { outcome: { kind: 'rejected', code: 'AC03' } };
const processing: Queried = { answer: { kind: 'processing' } };

function setup(changes: Partial<GateOptions> = {}) {
  const clock = manualClock();
  const policy = policyFor(1);
  const gate = new ProviderGate({
    provider: 'memory',
    policy,
    clock,
    submitsMax: 8,
    queriesMax: 8,
    callsPerSecondMax: 1_000,
    ...changes,
  });
  const submit = (result: Submitted) => gate.submit(async () => result);
  return { clock, gate, submit };
}

const times = async (count: number, work: () => Promise<unknown>): Promise<void> => {
  for (let at = 0; at < count; at += 1) await work();
};

describe('room', () => {
  it('is what is not under way', async () => {
    const { gate } = setup();
    let answer: (result: Submitted) => void = () => undefined;
    const call = gate.submit(() => new Promise<Submitted>((resolve) => (answer = resolve)));
    expect(gate.room()).toEqual({ submits: 7, queries: 8 });
    // The bulkhead hands over in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    answer(accepted);
    await call;
    expect(gate.room()).toEqual({ submits: 8, queries: 8 });
  });

  it('is so many calls per second', async () => {
    const { gate, submit, clock } = setup({ callsPerSecondMax: 4 });
    await times(4, () => submit(accepted));
    expect(gate.room()).toEqual({ submits: 0, queries: 0 });
    expect(gate.isClosed()).toBe(false);
    clock.pass(500);
    expect(gate.room()).toEqual({ submits: 2, queries: 2 });
  });
});

describe('a provider that is down', () => {
  it('is not called after ten failures in a row, but for one try now and then', async () => {
    const { gate, submit, clock } = setup();
    await times(9, () => submit(timedOut));
    await submit(accepted);
    await times(9, () => submit(timedOut));
    expect(gate.isClosed()).toBe(false);
    await submit(timedOut);
    expect(gate.isClosed()).toBe(true);
    expect(gate.room()).toEqual({ submits: 0, queries: 8 });
    clock.pass(10_000);
    expect(gate.room().submits).toBe(1);
  });

  it('counts neither refusals nor what we kept back ourselves', async () => {
    const { gate, submit } = setup();
    const ours: Submitted = { outcome: { kind: 'not_sent', cause: 'send_window_passed' } };
    await times(20, () => submit(refused));
    await times(20, () => submit(ours));
    expect(gate.isClosed()).toBe(false);
    await times(10, () => submit({ outcome: { kind: 'not_sent', cause: 'connection_refused' } }));
    expect(gate.isClosed()).toBe(true);
  });

  it('says of a call that it held back that nothing was sent', async () => {
    const { submit } = setup();
    await times(10, () => submit(timedOut));
    expect(await submit(accepted)).toEqual({ outcome: { kind: 'not_sent', cause: 'breaker_open' } });
  });

  it('says of an adapter that fails that anything may have been sent', async () => {
    const { gate } = setup();
    const failing = () => Promise.reject(new TypeError('a bug of the adapter'));
    expect(await gate.submit(failing)).toEqual({ outcome: { kind: 'unknown', cause: 'adapter_failed' } });
    expect(await gate.query(failing)).toEqual({ answer: { kind: 'unknown', cause: 'adapter_failed' } });
  });
});

describe('a provider that does not want us', () => {
  it('is left alone for as long as it says, and then called slowly more', async () => {
    const { gate, submit, clock } = setup();
    await submit({
      outcome: { kind: 'not_sent', cause: 'too_many_requests' },
      holdBack: { because: 'too_many_requests', forMs: 2_000 },
    });
    expect([gate.isClosed(), gate.room().submits, gate.room().queries]).toEqual([true, 0, 0]);
    clock.pass(2_000);
    expect(gate.room()).toEqual({ submits: 1, queries: 1 });
    await submit(accepted);
    expect(gate.room().submits).toBe(2);
    await submit(accepted);
    await submit(accepted);
    expect(gate.room().submits).toBe(8);
    await gate.query(async () => processing);
    expect(gate.room().queries).toBe(2);
  });

  it('is not left alone for a day because of a header', async () => {
    const { gate, submit, clock } = setup();
    await submit({
      outcome: { kind: 'not_sent', cause: 'too_many_requests' },
      holdBack: { because: 'too_many_requests', forMs: 86_400_000 },
    });
    clock.pass(60_000);
    expect(gate.isClosed()).toBe(false);
  });
});
