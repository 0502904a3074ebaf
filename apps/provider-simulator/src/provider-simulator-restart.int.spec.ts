// What a SIGKILL, a restart and a stop do to the provider's memory.
import { centsOf } from '@compasso/kernel';
import { eventually } from '@compasso/testing';
import { jest } from '@jest/globals';
import { once } from 'node:events';
import { magicAmount } from './domain/choose-fault.ts';
import type { FaultName } from './domain/fault-catalogue.ts';
import {
  call,
  type Folder,
  makeFolder,
  newPayoutId,
  payout,
  receiveWebhooks,
  type RunningProcess,
  spawnSimulator,
  startSimulator,
  type WebhookReceiver,
} from './simulator-process.fixture.ts';

jest.setTimeout(60_000);

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function setup(timeScale: string): Promise<{ folder: Folder; webhooks: WebhookReceiver }> {
  const webhooks = await receiveWebhooks();
  undo.push(() => webhooks.stop());
  const folder = makeFolder([webhooks.url], timeScale);
  undo.push(() => folder.remove());
  return { folder, webhooks };
}

async function start(folder: Folder): Promise<RunningProcess> {
  const provider = await startSimulator(folder);
  undo.push(() => provider.kill('SIGKILL'));
  return provider;
}

const amountOf = (fault: FaultName) =>
  payout(fault === 'none' ? 15_000 : Number(magicAmount(fault, centsOf(15_000))));

const put = (provider: RunningProcess, id: string, fault: FaultName, signal?: AbortSignal) =>
  call(provider, `PUT /v1/payouts/${id}`, { body: amountOf(fault), ...(signal && { signal }) });

async function live(provider: RunningProcess): Promise<Map<string, number>> {
  const { body } = await call(provider, 'GET /admin/live-orders');
  const items = body['items'] as { payoutId: string; orders: number }[];
  return new Map(items.map(({ payoutId, orders }) => [payoutId, orders]));
}

it('keeps orders, faults and answers over a SIGKILL, and doubles nothing', async () => {
  const { folder, webhooks } = await setup('0.1');
  let provider = await start(folder);
  const faults = [
    'none',
    'pending-then-confirmed',
    'rejected-ab03-late',
    'deadline-review',
    'webhook-late',
  ] as const;
  const before = new Map<string, { fault: FaultName; orderId: unknown }>();
  for (const fault of [...faults, ...Array<FaultName>(20).fill('none')]) {
    const id = newPayoutId();
    before.set(id, { fault, orderId: (await put(provider, id, fault)).body['orderId'] });
  }
  const outage = { faults: [{ fault: 'none', share: 0.25 }] };
  await call(provider, 'PUT /admin/faults', { body: outage });
  await provider.kill('SIGKILL');

  provider = await start(folder);
  expect((await call(provider, 'GET /admin/faults')).body).toEqual({ ...outage, outage: null });
  for (const [id, { fault, orderId }] of before) {
    const repeat = await put(provider, id, fault);
    expect([repeat.status, repeat.body['orderId']]).toEqual([200, orderId]);
  }
  for (const [id, { fault }] of before) {
    const expected =
      { 'rejected-ab03-late': 'failed', 'deadline-review': 'processing' }[fault as string] ??
      'paid';
    await eventually(
      async () => (await call(provider, `GET /v1/payouts/${id}`)).body['status'] === expected,
      { because: `${fault} ends as ${expected}` },
    );
    if (expected === 'paid') {
      await eventually(() => webhooks.of(id).length > 0, { because: `the webhook of ${fault}` });
    }
  }
  const counted = await live(provider);
  expect([...counted.values()]).toEqual(Array<number>(before.size - 1).fill(1));
});

it('remembers over a SIGKILL whom it kept out, and what was said', async () => {
  const { folder } = await setup('1');
  let provider = await start(folder);
  const id = newPayoutId();
  const calls = async () =>
    (
      (await call(provider, `GET /admin/calls?payoutId=${id}`)).body['items'] as {
        answer: string;
      }[]
    ).map(({ answer }) => answer);
  const silent = put(provider, id, 'never-seen-resubmitted');
  const ended = expect(silent).rejects.toThrow('fetch failed');
  await eventually(async () => (await calls()).length === 1, { because: 'the call was received' });
  await provider.kill('SIGKILL');
  await ended;

  provider = await start(folder);
  expect((await call(provider, `GET /v1/payouts/${id}`)).status).toBe(404);
  expect((await put(provider, id, 'never-seen-resubmitted')).status).toBe(201);
  expect(await calls()).toEqual(['silence', '404', '201']);
});

it('loses no accepted order when it is killed under load', async () => {
  const { folder } = await setup('0.1');
  let provider = await start(folder);
  const accepted = new Map<string, unknown>();
  const sending = Array.from({ length: 8 }, async () => {
    for (;;) {
      const id = newPayoutId();
      const answer = await put(provider, id, 'none').catch(() => undefined);
      if (!answer) return;
      accepted.set(id, answer.body['orderId']);
    }
  });
  await eventually(() => accepted.size >= 200, { because: '200 accepted orders' });
  await provider.kill('SIGKILL');
  await Promise.all(sending);

  provider = await start(folder);
  for (const [id, orderId] of accepted) {
    expect((await call(provider, `GET /v1/payouts/${id}`)).body['orderId']).toBe(orderId);
  }
});

it('stops at once with 0, whoever still waits for an answer', async () => {
  const { folder } = await setup('1');
  const provider = await start(folder);
  const id = newPayoutId();
  const ended = expect(put(provider, id, 'accepted-then-timeout')).rejects.toThrow('fetch failed');
  await eventually(async () => (await live(provider)).has(id), {
    because: 'the order was accepted',
  });
  const startedAt = performance.now();
  expect(await provider.kill('SIGTERM')).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  await ended;
});

it('does not start on a wrong configuration, and says which variable', async () => {
  const { folder } = await setup('1');
  const { PROVIDER_API_KEY_FILE: _, ...incomplete } = folder.environment;
  const child = spawnSimulator({ ...incomplete, WEBHOOK_URLS: 'ftp://nobody' });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(1);
  expect(said).toContain('PROVIDER_API_KEY_FILE');
  expect(said).toContain('WEBHOOK_URLS');
});
