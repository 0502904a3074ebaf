// A transfer is one trace, also when the team that asked for it has none.
import { encodeHeaders, sourceOfTeam, transferRequestedV1, transferRequestsOf } from '@compasso/contracts';
import { instantOf } from '@compasso/kernel';
import { startTelemetry, type Telemetry } from '@compasso/observability';
import { uuidv7 } from 'uuidv7';
import { decodeBatch, type DecodedRecord } from './incoming.ts';
import { processSpans } from './process-spans.ts';

const topic = transferRequestsOf('acme');
const theirs = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function request(traceparent?: string): DecodedRecord {
  const accountId = uuidv7();
  const envelope = {
    id: uuidv7(),
    source: sourceOfTeam('acme'),
    type: transferRequestedV1.type,
    subject: uuidv7(),
    time: '2026-01-01T00:00:00.000Z',
    traceparent,
  };
  const payee = { kind: 'key', keyType: 'cpf', keyMasked: '***982247**', sealed: 'a.b.c.d.e' };
  const record = {
    offset: 0n,
    timestamp: instantOf(0),
    key: Buffer.from(accountId),
    value: Buffer.from(JSON.stringify({ accountId, amountCents: 1, payee })),
    headers: encodeHeaders(envelope),
  };
  return decodeBatch([record], { topic: topic.name, partition: 0 }, topic)[0]!;
}

const spansOf = (name: string, onInvalidCommand?: () => void) =>
  processSpans({ service: { name }, group: name, subscription: { topic, onInvalidCommand } });

describe('the trace of a request', () => {
  // Nothing listens there: ids are given without anybody who takes the spans.
  let telemetry: Telemetry;
  beforeAll(() => {
    telemetry = startTelemetry({ service: 'test', replica: '1', otlpEndpoint: 'http://127.0.0.1:9' });
  });
  afterAll(() => telemetry.shutdown());

  const ledger = () => spansOf('ledger', () => undefined);
  const tracker = () => spansOf('transfer-tracker');

  it('begins where it is decided, and whoever reads along joins it', () => {
    const one = request();
    const decided = ledger().begin(one);
    const read = tracker().begin(one);
    expect(read.traceId).toBe(decided.traceId);
    expect(read.traceparent).not.toBe(decided.traceparent);
  });

  it('is known to handlers, who may have to go on with it later', () => {
    const one = request();
    expect(one.event?.envelope.traceparent).toBe(ledger().begin(one).traceparent);
  });

  it('is the same when the request is decided again after a failure', () => {
    const one = request();
    expect(ledger().begin(one).traceparent).toBe(ledger().begin(one).traceparent);
  });

  it('is another one for another request', () => {
    expect(ledger().begin(request()).traceId).not.toBe(ledger().begin(request()).traceId);
  });

  it('is the one of the team, where it has one', () => {
    const one = request(theirs);
    expect([ledger().begin(one).traceId, tracker().begin(one).traceId]).toEqual([theirs.slice(3, 35), theirs.slice(3, 35)]);
  });
});
