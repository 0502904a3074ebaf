// The adapter against the real simulator: the behaviour suite, and what only a network can do.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net';
import { centsOf } from '@compasso/kernel';
import { uuidv7 } from 'uuidv7';
import { referenceProvider, type Simulator, startSimulator } from '../simulator.fixture.ts';
import { describeProvider, type Fault } from './provider.features.ts';
import type { Call, PayoutOrder } from './provider.port.ts';

const names: Partial<Record<Fault, string>> = {
  silence_before_accepting: 'never-seen-resubmitted',
  error_before_accepting: 'error-before-accept',
  silence_after_accepting: 'accepted-then-timeout',
  reset_after_accepting: 'reset-after-accept',
  error_after_accepting: 'error-after-accept',
  unreadable_after_accepting: 'unreadable-answer',
  refusal: 'refused-ac03',
  too_many_requests: 'too-many-requests',
  credentials_refused: 'unauthorized-once',
  processing_for_ever: 'deadline-review',
  fails: 'rejected-ac03',
  unknown_status: 'unknown-status',
};

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ timeScale: 1 });
}, 60_000);
afterAll(() => simulator.stop());

describeProvider('over the reference wire format', () => {
  const provider = referenceProvider(simulator.url);
  return {
    provider,
    async befall(orderId, fault) {
      const name = names[fault];
      if (name !== undefined) await simulator.befall(orderId, name);
    },
    orderCount: (orderId) => simulator.orderCount(orderId),
    close: () => provider.close(),
  };
});

const anOrder = (): PayoutOrder => ({
  orderId: uuidv7(),
  amountCents: centsOf(15_000),
  keyType: 'cpf',
  key: '52998224725',
});
const call: Call = { timeoutMs: 400, mayStart: () => undefined };

const undo: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const portOf = (server: Pick<Server, 'address'>): number => (server.address() as AddressInfo).port;

function providerAt(port: number) {
  const provider = referenceProvider(`http://127.0.0.1:${port}`);
  undo.push(() => provider.close());
  return provider;
}

async function listening(server: Server | ReturnType<typeof createSocketServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => new Promise((resolve) => server.close(resolve)));
  return portOf(server);
}

/** A provider that answers every request with the same bytes. */
async function answering(status: number, body: string): Promise<ReturnType<typeof providerAt>> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status, { connection: 'close' }).end(body));
  });
  return providerAt(await listening(server));
}

/** Sockets that were opened, and the bytes that came over them. */
async function silent(): Promise<{
  readonly port: number;
  readonly bytes: () => number;
  readonly sockets: Socket[];
}> {
  const sockets: Socket[] = [];
  let bytes = 0;
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => (bytes += chunk.length)).on('error', () => undefined);
  });
  const port = await listening(server);
  undo.push(() => sockets.forEach((socket) => socket.destroy()));
  return { port, bytes: () => bytes, sockets };
}

describe('no byte has left', () => {
  it('when nobody listens', async () => {
    const { port } = await silent();
    for (const step of undo.splice(0).reverse()) await step();
    const { outcome } = await providerAt(port).submit(anOrder(), call);
    expect(outcome).toEqual({ kind: 'not_sent', cause: 'connection_refused' });
  });

  it('when the name is not known', async () => {
    const provider = referenceProvider('http://provider.invalid');
    undo.push(() => provider.close());
    expect((await provider.submit(anOrder(), call)).outcome).toMatchObject({ kind: 'not_sent' });
  });

  it('when the window closed while the connection was made: the question is put once it stands', async () => {
    const { port, bytes, sockets } = await silent();
    const asked: number[] = [];
    const { outcome } = await providerAt(port).submit(anOrder(), {
      ...call,
      mayStart: () => {
        asked.push(sockets.length);
        return 'send_window_passed';
      },
    });
    expect(outcome).toEqual({ kind: 'not_sent', cause: 'send_window_passed' });
    expect(asked).toHaveLength(1);
    await expectConnection(sockets);
    expect(bytes()).toBe(0);
  });

  it('and on a connection that stands already the window is asked about all the same', async () => {
    const provider = referenceProvider(simulator.url);
    undo.push(() => provider.close());
    const first = await provider.submit(anOrder(), { ...call, timeoutMs: 5_000 });
    expect(first.outcome.kind).toBe('accepted');
    const late = anOrder();
    const { outcome } = await provider.submit(late, { ...call, mayStart: () => 'stopped' });
    expect(outcome).toEqual({ kind: 'not_sent', cause: 'stopped' });
    expect(await simulator.callsOf(late.orderId)).toEqual([]);
  });
});

async function expectConnection(sockets: readonly Socket[]): Promise<void> {
  while (sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
}

describe('something may have arrived', () => {
  it('when nobody answers in time', async () => {
    const { port, bytes } = await silent();
    const { outcome } = await providerAt(port).submit(anOrder(), call);
    expect(outcome).toEqual({ kind: 'unknown', cause: 'timeout' });
    expect(bytes()).toBeGreaterThan(0);
  });

  it('when the connection breaks before, or within, an answer', async () => {
    const beheaded = createSocketServer((socket) =>
      socket.on('error', () => undefined).on('data', () => socket.resetAndDestroy()),
    );
    const cut = await providerAt(await listening(beheaded)).submit(anOrder(), call);
    expect(cut.outcome).toMatchObject({ kind: 'unknown' });
    const halved = createSocketServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', () => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 999\r\n\r\n{'));
    });
    const half = await providerAt(await listening(halved)).submit(anOrder(), call);
    expect(half.outcome).toMatchObject({ kind: 'unknown' });
  });

  it('when an answer trickles for longer than a call may take', async () => {
    const trickling = createServer((_request, response) => {
      response.writeHead(201, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    });
    const { outcome } = await providerAt(await listening(trickling)).submit(anOrder(), call);
    expect(outcome).toEqual({ kind: 'unknown', cause: 'timeout' });
  });

  it('when an answer is larger than any answer is', async () => {
    const provider = await answering(201, ' '.repeat(200_000));
    expect((await provider.submit(anOrder(), call)).outcome).toEqual({
      kind: 'unknown',
      cause: 'answer_too_large',
    });
  });

  it.each([
    [400, '{"code":"invalid_request"}'],
    [404, '{"code":"route_not_found"}'],
    [409, '{"code":"something_else"}'],
    [409, 'conflict'],
    [418, ''],
    [422, 'not even JSON'],
    [422, '{"code":"a sentence instead of a code"}'],
    [200, '<html></html>'],
    [200, '{}'],
    [201, JSON.stringify({ id: uuidv7(), status: 'paid' })],
    [302, ''],
    [500, '{"code":"internal_error"}'],
    [502, ''],
    [503, '{"code":"AC03"}'],
  ])('when the answer is %i %s', async (status, body) => {
    const provider = await answering(status, body);
    expect((await provider.submit(anOrder(), call)).outcome).toMatchObject({ kind: 'unknown' });
  });
});

describe('a question proves nothing', () => {
  const order = (changes: object = {}) =>
    JSON.stringify({
      id: '01980000-0000-7000-8000-00000000000a',
      orderId: 'x',
      status: 'paid',
      amountCents: 15_000,
      payee: { keyType: 'CPF', keyMasked: '***982247**' },
      endToEndId: 'E12345678202601011200abcdefghijk',
      createdAt: '2026-01-01T12:00:00.000Z',
      updatedAt: '2026-01-01T12:00:00.050Z',
      ...changes,
    });
  const asked = '01980000-0000-7000-8000-00000000000a';

  it.each([
    ['about another order', 200, order({ id: uuidv7() })],
    ['without an amount', 200, order({ amountCents: undefined })],
    ['with a fraction for an amount', 200, order({ amountCents: 150.5 })],
    ['with a text for an amount', 200, order({ amountCents: '15000' })],
    ['without the id that a payment has', 200, order({ endToEndId: '' })],
    ['without a payee', 200, order({ payee: undefined })],
    ['failed without saying why', 200, order({ status: 'failed' })],
    ['not found, says a proxy', 404, '<html>not found</html>'],
    ['not found, says a router', 404, '{"code":"route_not_found"}'],
    ['gone', 410, '{"code":"payout_not_found"}'],
    ['an error', 500, '{"code":"payout_not_found"}'],
  ])('%s', async (_what, status, body) => {
    const provider = await answering(status, body);
    expect((await provider.query(asked, call)).answer).toMatchObject({ kind: 'unknown' });
  });

  it('unless it is the documented answer', async () => {
    expect((await (await answering(200, order())).query(asked, call)).answer).toMatchObject({ kind: 'paid' });
    const notFound = await answering(404, '{"code":"payout_not_found"}');
    expect((await notFound.query(asked, call)).answer).toEqual({ kind: 'not_found' });
  });
});

it('says that our key is not accepted', async () => {
  const provider = referenceProvider(simulator.url, 'another-key-than-the-right-one');
  undo.push(() => provider.close());
  const { outcome, holdBack } = await provider.submit(anOrder(), { ...call, timeoutMs: 5_000 });
  expect(outcome).toEqual({ kind: 'not_sent', cause: 'credentials_refused' });
  expect(holdBack).toEqual({ because: 'credentials_refused' });
  expect(await provider.query(uuidv7(), { timeoutMs: 5_000 })).toMatchObject({
    answer: { kind: 'unknown', cause: 'credentials_refused' },
    holdBack: { because: 'credentials_refused' },
  });
});
