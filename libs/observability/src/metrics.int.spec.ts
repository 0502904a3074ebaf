import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type MetricDefinition,
  metricDefinitions,
  type MetricName,
  type MetricNameOf,
} from './metric-names.ts';
import { counter, histogram } from './metrics.ts';
import { gauge } from './observed-metrics.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';

const definitions = Object.entries(metricDefinitions) as [MetricName, MetricDefinition][];

// Made when the module loads, as services do: before telemetry starts.
const processed = counter('compasso_messages_processed_total');
const settled = counter('compasso_transfers_settled_total');
const batches = histogram('compasso_batch_duration_seconds');

let telemetry: Telemetry;
let server: Server;
let url: string;
beforeEach(async () => {
  telemetry = startTelemetry({ service: 'ledger', replica: '1' });
  server = createServer((request, response) => telemetry.metricsHandler(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await telemetry.shutdown();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
});

const scrape = async (): Promise<string> => (await fetch(url)).text();

it('shows what was counted and recorded, under the very name', async () => {
  processed.add(2, { topic: 'pix.ledger-events.v1', verdict: 'applied' });
  processed.add(1, { topic: 'pix.ledger-events.v1', verdict: 'applied' });
  settled.add(1);
  batches.record(0.004, { topic: 't' });
  const text = await scrape();
  expect(text).toContain(
    'compasso_messages_processed_total{topic="pix.ledger-events.v1",verdict="applied"} 3\n',
  );
  expect(text).toContain('compasso_transfers_settled_total 1\n');
  expect(text).toContain('compasso_batch_duration_seconds_bucket{topic="t",le="0.005"} 1\n');
  expect(text).toContain('# HELP compasso_batch_duration_seconds One batch transaction.\n');
});

it('shows gauges as they are at the scrape, until they are taken back', async () => {
  let rows = 3;
  const forget = gauge('compasso_outbox_rows', () => rows);
  const forgetOpen = gauge('compasso_dead_letters_open', () => [
    { value: 1, labels: { topic: 'a' } },
    { value: 2, labels: { topic: 'b' } },
  ]);
  expect(await scrape()).toContain('compasso_outbox_rows 3\n');
  rows = 4;
  const text = await scrape();
  expect(text).toContain('compasso_outbox_rows 4\n');
  expect(text).toContain('compasso_dead_letters_open{topic="b"} 2\n');
  forget();
  forgetOpen();
  expect(await scrape()).not.toMatch(/compasso_outbox_rows|compasso_dead_letters_open/);
});

it('forgets a label that is gone', async () => {
  let partitions = ['0', '1'];
  const forget = gauge('compasso_consumer_lag_messages', () =>
    partitions.map((partition) => ({ value: 9, labels: { topic: 't', partition } })),
  );
  expect(await scrape()).toContain('compasso_consumer_lag_messages{topic="t",partition="1"} 9\n');
  partitions = ['0'];
  const text = await scrape();
  expect(text).toContain('compasso_consumer_lag_messages{topic="t",partition="0"} 9\n');
  expect(text).not.toContain('partition="1"');
  forget();
});

it('says nothing while a gauge does not know', async () => {
  const forget = gauge('compasso_outbox_oldest_age_seconds', () => undefined);
  expect(await scrape()).not.toContain('compasso_outbox_oldest_age_seconds ');
  forget();
});

it('survives a gauge that throws, and shows the others', async () => {
  const forget = gauge('compasso_outbox_rows', () => {
    throw new RangeError('no');
  });
  expect(await scrape()).toContain('compasso_process_uptime_seconds');
  forget();
});

it('starts at nothing after a restart of telemetry', async () => {
  expect(await scrape()).not.toContain('compasso_messages_processed_total');
  processed.add(1, { topic: 't', verdict: 'applied' });
  expect(await scrape()).toContain(
    'compasso_messages_processed_total{topic="t",verdict="applied"} 1\n',
  );
});

it('shows what the process costs, and whether it is ready', async () => {
  const forget = telemetry.observeReadiness(() => ({
    ready: false,
    checks: { relay: { ok: false } },
  }));
  const text = await scrape();
  expect(text).toMatch(/compasso_process_cpu_seconds_total\{mode="user"\} [\d.]+\n/);
  expect(text).toMatch(/compasso_process_resident_memory_bytes \d+\n/);
  expect(text).toContain('compasso_service_ready 0\n');
  expect(text).toContain('compasso_readiness_check_ok{check="relay"} 0\n');
  forget();
});

it('exports every name of the list unchanged', async () => {
  const forget: (() => void)[] = [];
  for (const [name, { kind, labels }] of definitions) {
    const given = Object.fromEntries(labels.map((label) => [label, 'x'])) as never;
    if (kind === 'counter') counter(name as MetricNameOf<'counter'>).add(1, given);
    else if (kind === 'histogram') histogram(name as MetricNameOf<'histogram'>).record(1, given);
    else
      forget.push(
        gauge(name as MetricNameOf<'gauge'>, () => [{ value: 1, labels: given }] as never),
      );
  }
  const text = await scrape();
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name, kind]),
  );
  expect([...types].sort()).toEqual(definitions.map(([name, { kind }]) => [name, kind]).sort());
  for (const one of forget) one();
});
