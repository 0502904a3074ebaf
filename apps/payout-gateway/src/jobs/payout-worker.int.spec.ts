// The gateway on real Postgres against the real simulator: the stories of a misbehaving provider, with webhooks over HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import { type RunningGateway, runningGateway } from '../running-gateway.fixture.ts';
import { apiKey } from '../simulator.fixture.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await runningGateway();
  gateway.worker.start();
  // Nothing is sent again before the provider has shown an order that exists.
  await gateway.becomes(await authorized('none'), 'confirmed');
}, 90_000);
afterAll(() => gateway.stop(), 60_000);

async function authorized(fault: string): Promise<string> {
  const transferId = uuidv7();
  if (fault !== 'none') await gateway.simulator.befall(transferId, fault);
  await gateway.authorize({ transferId });
  gateway.worker.wake();
  return transferId;
}

const typesOf = async (id: string): Promise<string[]> =>
  (await gateway.published(id)).map(({ type }) => type);
const puts = async (id: string) =>
  (await gateway.simulator.callsOf(id)).filter(({ method }) => method === 'PUT');
const gets = async (id: string) =>
  (await gateway.simulator.callsOf(id)).filter(({ method }) => method === 'GET');

it('happy: one call, one question, confirmed by the question that a webhook hastened', async () => {
  const id = await authorized('none');
  await gateway.becomes(id, 'confirmed');
  expect(await typesOf(id)).toEqual(['payout.submitted', 'payout.confirmed']);
  expect((await puts(id)).length).toBe(1);
  expect((await gets(id)).length).toBeLessThanOrEqual(2);
}, 30_000);

it.each(['accepted-then-timeout', 'error-after-accept', 'reset-after-accept', 'unreadable-answer'])(
  '%s: unknown, then confirmed, one order',
  async (fault) => {
    const id = await authorized(fault);
    const row = await gateway.becomes(id, 'confirmed');
    expect(row.attempt).toBe(1);
    expect(
      (await typesOf(id)).filter((type) => type !== 'payout.checked' && type !== 'payout.submitted'),
    ).toEqual(['payout.outcome-unknown', 'payout.confirmed']);
    expect(await gateway.simulator.orderCount(id)).toBe(1);
  },
  30_000,
);

it.each(['never-seen-resubmitted', 'error-before-accept', 'reset-before-accept'])(
  '%s: sent again under the same id with the same bytes, one order',
  async (fault) => {
    const id = await authorized(fault);
    const row = await gateway.becomes(id, 'confirmed', 40_000);
    expect(row.attempt).toBe(2);
    const calls = await puts(id);
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map(({ bodyDigest }) => bodyDigest)).size).toBe(1);
    expect(await gateway.simulator.orderCount(id)).toBe(1);
  },
  60_000,
);

it.each([
  ['refused-ac03', 'call_refused'],
  ['rejected-ac03', 'query_failed'],
  ['rejected-after-timeout', 'query_failed'],
])(
  '%s: rejected with proof',
  async (fault, evidence) => {
    const id = await authorized(fault);
    const row = await gateway.becomes(id, 'rejected');
    expect(row).toMatchObject({ outcomeCode: 'AC03', evidence });
    expect((await gateway.published(id)).at(-1)).toMatchObject({
      type: 'payout.rejected',
      data: { code: 'AC03', evidence, after: 'rejected' },
    });
  },
  30_000,
);

it.each([
  'pending-then-confirmed',
  'not-found-for-a-while',
  'not-found-after-timeout',
  'slow-answer',
  'unknown-status',
  'webhook-lost',
])(
  '%s: asked until it is known, sent once',
  async (fault) => {
    const id = await authorized(fault);
    expect((await gateway.becomes(id, 'confirmed')).attempt).toBe(1);
    expect(await puts(id)).toHaveLength(1);
  },
  30_000,
);

it.each(['too-many-requests', 'unauthorized-once'])(
  '%s: waits as long as it is told, then goes out',
  async (fault) => {
    const id = await authorized(fault);
    await gateway.becomes(id, 'confirmed');
    expect(await gateway.simulator.orderCount(id)).toBe(1);
  },
  30_000,
);

it('webhook-doubled-forged: every delivery is kept with its verdict, and the forgeries change nothing', async () => {
  const id = await authorized('webhook-doubled-forged');
  await gateway.becomes(id, 'confirmed');
  const history = async () =>
    (await gateway.queries.history(id))?.deliveries.map(({ verdict }) => verdict).sort();
  await eventually(async () => ((await history())?.length ?? 0) >= 5, { because: 'every delivery is kept' });
  expect(await history()).toEqual([
    'hint',
    'hint',
    'signature_invalid',
    'signature_invalid',
    'timestamp_out_of_range',
  ]);
  expect(await typesOf(id)).toEqual(['payout.submitted', 'payout.confirmed']);
}, 30_000);

describe('a gateway that is killed', () => {
  it('between the commit of a call and its record leaves an unknown payout that others bring to its end', async () => {
    await gateway.worker.stop();
    const id = uuidv7();
    await gateway.simulator.befall(id, 'accepted-then-timeout');
    await gateway.authorize({ transferId: id });
    const child = await startOtherReplica();
    await eventually(async () => (await puts(id)).length === 1, { because: 'the call arrived' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await gateway.read(id))?.state).toBe('sending');

    const successor = await startOtherReplica();
    const row = await gateway.becomes(id, 'confirmed');
    expect(row.attempt).toBe(1);
    expect((await gateway.published(id))[0]).toMatchObject({
      type: 'payout.outcome-unknown',
      data: { cause: 'no_outcome_recorded' },
    });
    expect(await gateway.simulator.orderCount(id)).toBe(1);
    successor.kill('SIGTERM');
    await once(successor, 'exit');
  }, 60_000);
});

/** Another replica on the same database: a process that can be killed. */
async function startOtherReplica() {
  const main = new URL('other-replica.fixture.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=@compasso/source', main], {
    env: {
      DATABASE_URL: gateway.database.url,
      PROVIDER_URL: gateway.simulator.url,
      PROVIDER_API_KEY: apiKey,
      PAYEE_KEYS: JSON.stringify(gateway.keys.privateKeys),
      TIME_SCALE: '0.02',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}
