import { randomBytes } from 'node:crypto';
import { startTelemetry, type Telemetry } from '@compasso/observability';
import { uuidv7 } from 'uuidv7';
import { eventsOf, type LedgerHttp, ledgerHttp, transferTo } from './ledger-http.story.ts';

let telemetry: Telemetry;
let ledger: LedgerHttp;
beforeAll(async () => {
  telemetry = startTelemetry({ service: 'ledger', replica: '1' });
  ledger = await ledgerHttp();
});
afterAll(async () => {
  await ledger.close();
  await telemetry.shutdown();
});

it('keeps each request in its own trace, whoever it is decided with', async () => {
  const accountId = await ledger.openAccount();
  const asked = Array.from({ length: 20 }, () => ({
    key: uuidv7(),
    traceId: randomBytes(16).toString('hex'),
  }));
  await Promise.all(
    asked.map(({ key, traceId }) => {
      const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
      return ledger.post('/v1/transfers', { key, body: transferTo(accountId), headers });
    }),
  );
  const events = await eventsOf(ledger);
  for (const { key, traceId } of asked) {
    const traces = events
      .filter(({ subject }) => subject === key)
      .map(({ traceparent }) => traceparent?.split('-')[1]);
    expect(traces).toEqual([traceId, traceId]);
  }
});

it('passes a cancellation on in the trace of its transfer, whoever asks for it', async () => {
  const accountId = await ledger.openAccount();
  const [key, traceId] = [uuidv7(), randomBytes(16).toString('hex')];
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  await ledger.post('/v1/transfers', { key, body: transferTo(accountId), headers });
  const other = { traceparent: `00-${randomBytes(16).toString('hex')}-00f067aa0ba902b7-01` };
  await ledger.post(`/v1/transfers/${key}/cancel`, { body: { accountId }, headers: other });
  const traces = (await eventsOf(ledger))
    .filter(({ subject }) => subject === key)
    .map(({ traceparent }) => traceparent?.split('-')[1]);
  expect(traces).toEqual([traceId, traceId, traceId]);
});
