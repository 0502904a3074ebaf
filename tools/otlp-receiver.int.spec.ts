// The receiver against real exporters, and a real HTTP service: what leaves the services is what is
// judged.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { Controller, Get, Module, Param } from '@nestjs/common';
import {
  createLogger,
  currentTraceparent,
  spanFrom,
  startTelemetry,
  telemetryLimits,
} from '@compasso/observability';
import { Public, ReadinessRegistry, startHttp } from '@compasso/runtime';
import { type OtlpReceiver, readReceivedSpans, startOtlpReceiver } from './otlp-receiver.ts';

jest.setTimeout(30_000);

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentSpanId = 'b7ad6b7169203331';
const parent = `00-${traceId}-${parentSpanId}-01`;

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(() => receiver.stop());

const start = (otlpEndpoint = receiver.endpoint) =>
  startTelemetry({ service: 'ledger', replica: '2', otlpEndpoint });

it('receives what a process sends, with its last spans at the end', async () => {
  const telemetry = start();
  const span = spanFrom('process pix.ledger-events.v1', 'consumer', {
    parent,
    links: [parent, 'odd'],
    attributes: { 'messaging.kafka.offset': 7, last: true, many: ['a', 'b'] },
    startedAt: 1_764_500_000_000,
  });
  const child = spanFrom('create pix.payout-events.v1', 'producer', { parent: span.traceparent });
  child.fail(new RangeError('no'));
  child.end();
  span.end(1_764_500_000_250);
  await telemetry.shutdown();
  expect(receiver.spans()).toHaveLength(2);
  expect(receiver.spans()).toContainEqual({
    traceId,
    spanId: span.traceparent?.slice(36, 52),
    parentSpanId,
    name: 'process pix.ledger-events.v1',
    service: 'ledger',
    replica: '2',
    kind: 'consumer',
    start: 1_764_500_000_000,
    end: 1_764_500_000_250,
    failed: false,
    attributes: { 'messaging.kafka.offset': 7, last: true, many: ['a', 'b'] },
    links: [{ traceId, spanId: parentSpanId }],
  });
  expect(receiver.spans()).toContainEqual(
    expect.objectContaining({ traceId, failed: true, attributes: { 'error.type': 'RangeError' } }),
  );
  expect(await readReceivedSpans(receiver.endpoint)).toEqual(receiver.spans());
});

it('records also what the caller did not sample: strangers hide no payment', async () => {
  const telemetry = start();
  spanFrom('process x', 'consumer', { parent: `00-${traceId}-${parentSpanId}-00` }).end();
  await telemetry.shutdown();
  expect(receiver.spans()).toHaveLength(1);
});

it('begins a new trace for an odd parent', async () => {
  const telemetry = start();
  spanFrom('process x', 'consumer', { parent: 'odd' }).end();
  await telemetry.shutdown();
  expect(receiver.spans()).toEqual([
    expect.not.objectContaining({ parentSpanId: expect.anything() }),
  ]);
});

it('loses nothing of a burst', async () => {
  const telemetry = start();
  for (let index = 0; index < 5_000; index += 1) spanFrom('process x', 'consumer').end();
  await telemetry.shutdown();
  expect(receiver.spans()).toHaveLength(5_000);
});

describe('a process ends in time', () => {
  const shutdownMs = async (endpoint: string): Promise<number> => {
    const telemetry = start(endpoint);
    spanFrom('process x', 'consumer').end();
    const startedAt = performance.now();
    await telemetry.shutdown();
    return performance.now() - startedAt;
  };
  it('when nobody listens', async () => {
    await receiver.stop();
    expect(await shutdownMs(receiver.endpoint)).toBeLessThan(telemetryLimits.shutdownMs + 1_000);
  });
  it('when the collector never answers', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    expect(await shutdownMs(`http://127.0.0.1:${port}`)).toBeLessThan(
      telemetryLimits.shutdownMs + 1_000,
    );
    silent.closeAllConnections();
    await new Promise<void>((resolve) => void silent.close(() => resolve()));
  });
});

describe('the wire', () => {
  const span = (spanId: string) => ({
    traceId,
    spanId,
    name: 'n',
    kind: 5,
    startTimeUnixNano: '1500000',
    endTimeUnixNano: '2000000',
  });
  const exportOf = (...spans: object[]) =>
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${receiver.endpoint}/v1/traces`, { method: 'POST', body, headers });

  it('may be compressed', async () => {
    const body = new Uint8Array(gzipSync(exportOf(span('aaaaaaaaaaaaaaaa'))));
    expect((await send(body, { 'content-encoding': 'gzip' })).status).toBe(200);
    expect(receiver.spans()).toMatchObject([
      { kind: 'consumer', start: 1.5, end: 2, service: 'unknown' },
    ]);
  });
  it.each(['not json', ''])('is refused when unreadable: %j', async (body) => {
    expect((await send(body)).status).toBe(400);
    expect((await send(body, { 'content-encoding': 'gzip' })).status).toBe(400);
  });
  it('may bring a span twice', async () => {
    await send(exportOf(span('aaaaaaaaaaaaaaaa')));
    await send(exportOf(span('aaaaaaaaaaaaaaaa')));
    expect(receiver.spans()).toHaveLength(1);
  });
  it('fills a bounded memory, and tells what was let go', async () => {
    await receiver.stop();
    receiver = await startOtlpReceiver({ spansMax: 2 });
    await send(exportOf(span('a'.repeat(16)), span('b'.repeat(16)), span('c'.repeat(16))));
    expect(receiver.spans().map(({ spanId }) => spanId[0])).toEqual(['b', 'c']);
    expect(receiver.dropped()).toBe(1);
  });
  it('has no other door', async () => {
    expect(
      (await fetch(`${receiver.endpoint}/v1/logs`, { method: 'POST', body: '{}' })).status,
    ).toBe(404);
  });
});

@Controller('things')
class ThingsController {
  @Public()
  @Get(':id')
  find(@Param('id') id: string): object {
    if (id === 'broken') throw new RangeError('no');
    return { traceparent: currentTraceparent() };
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

async function startThings() {
  const telemetry = start();
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const http = await startHttp({
    module: ThingsModule,
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'ledger', replica: '2', level: 'info', destination }),
    telemetry,
    readiness: new ReadinessRegistry(),
  });
  return { telemetry, lines, http };
}

it('sees one SERVER span per request of a service, in the trace of the caller', async () => {
  const { telemetry, lines, http } = await startThings();
  const call = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${http.url}${path}`, { headers }).then((response) => response.json());
  const inside = (await call('/things/1', { traceparent: parent })) as { traceparent: string };
  await call('/things/broken', { traceparent: parent });
  await call('/nothing', { traceparent: 'odd' });
  await call('/health/ready');
  await http.close();
  await telemetry.shutdown();
  const byStatus = new Map(
    receiver.spans().map((span) => [span.attributes['http.response.status_code'], span]),
  );
  expect([...byStatus.keys()].sort()).toEqual([200, 404, 500]);
  expect(byStatus.get(200)).toMatchObject({
    name: 'GET /things/:id',
    kind: 'server',
    traceId,
    parentSpanId,
    failed: false,
    attributes: { 'http.request.method': 'GET', 'http.route': '/things/:id' },
  });
  expect(inside.traceparent).toBe(`00-${traceId}-${byStatus.get(200)?.spanId}-01`);
  expect(byStatus.get(500)).toMatchObject({
    failed: true,
    attributes: { 'error.type': 'internal_error' },
  });
  expect(byStatus.get(404)).toMatchObject({ name: 'GET unmatched', failed: false });
  expect(byStatus.get(404)?.parentSpanId).toBeUndefined();
  expect(lines.map(({ code, trace_id }) => [code, trace_id])).toEqual([
    ['internal_error', traceId],
    ['not_found', byStatus.get(404)?.traceId],
  ]);
});

it('hands every export on to another collector, as it came', async () => {
  const collector = await startOtlpReceiver();
  const between = await startOtlpReceiver({ forwardTo: collector.endpoint });
  const telemetry = start(between.endpoint);
  spanFrom('process x', 'consumer').end();
  await telemetry.shutdown();
  await between.stop();
  expect(between.spans()).toHaveLength(1);
  expect(collector.spans()).toEqual(between.spans());
  await collector.stop();
});

it('goes on when that collector is away', async () => {
  const gone = await startOtlpReceiver();
  await gone.stop();
  const between = await startOtlpReceiver({ forwardTo: gone.endpoint });
  const telemetry = start(between.endpoint);
  spanFrom('process x', 'consumer').end();
  await telemetry.shutdown();
  await between.stop();
  expect(between.spans()).toHaveLength(1);
});
