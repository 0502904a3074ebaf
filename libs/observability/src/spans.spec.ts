// Without an exporter: a service that records nothing must not cut the traces of its neighbours.
import { currentTraceId, currentTraceparent, spanFrom } from './spans.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('before telemetry is started', () => {
  it('passes the parent through', () => {
    const span = spanFrom('process pix.ledger-events.v1', 'consumer', { parent });
    expect(span).toMatchObject({ traceparent: parent, traceId: parent.slice(3, 35) });
    expect(span.run(() => 'done')).toBe('done');
    span.fail(new RangeError('no'));
    span.end();
  });
  it.each([undefined, '', 'garbage'])('has none to pass for %j', (odd) => {
    expect(
      spanFrom('process x', 'consumer', { parent: odd, links: ['odd', undefined, parent] })
        .traceparent,
    ).toBeUndefined();
  });
});

describe('with telemetry, but without an exporter', () => {
  let telemetry: Telemetry;
  beforeAll(() => {
    telemetry = startTelemetry({ service: 'ledger', replica: '1' });
  });
  afterAll(() => telemetry.shutdown());

  it('keeps the parent current across awaits, and only inside', async () => {
    const span = spanFrom('process x', 'consumer', { parent });
    await span.run(async () => {
      await Promise.resolve();
      expect(currentTraceparent()).toBe(parent);
      expect(currentTraceId()).toBe(span.traceId);
      // A child made of what is current passes it on.
      expect(spanFrom('create y', 'producer', { parent: currentTraceparent() }).traceparent).toBe(
        parent,
      );
    });
    expect(currentTraceparent()).toBeUndefined();
  });

  it('never takes the active span as parent by itself', () => {
    spanFrom('process x', 'consumer', { parent }).run(() => {
      expect(spanFrom('send y', 'client').traceparent).toBeUndefined();
    });
  });
});
