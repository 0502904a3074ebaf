import { connect } from 'node:net';
import { type HttpFixture, startOrders } from './http-app.fixture.ts';

const key = '0190f5fe-7c00-7a00-8000-000000000001';
const json = { 'content-type': 'application/json', 'idempotency-key': key };

let service: HttpFixture;
beforeAll(async () => {
  service = await startOrders();
});
afterAll(() => service.close());
beforeEach(() => {
  service.log.lines.length = 0;
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function call(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${service.url}${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} };
}

const post = (
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = json,
): Promise<Answer> => call('/v1/orders', { method: 'POST', body, headers });

function expectProblem(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body['code'] }).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(answer.body).toMatchObject({
    type: `urn:compasso:problem:${code}`,
    title: expect.any(String),
    status,
    detail: expect.stringMatching(/\.$/),
    messages: { en: expect.any(String), 'pt-BR': expect.any(String) },
  });
  expect(service.log.lines).toEqual([expect.objectContaining({ code, status })]);
}

describe('a request that is fine', () => {
  it('passes, and its key is folded to lower case', async () => {
    const answer = await post('{"amountCents":1000}', {
      ...json,
      'idempotency-key': key.toUpperCase(),
    });
    expect(answer).toMatchObject({ status: 202, body: { id: key, amountCents: 1000 } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(service.log.lines).toEqual([]);
  });
});

describe('a body that cannot be read', () => {
  it.each([
    ['cut off', '{"amountCents":', 'malformed_json'],
    ['a trailing comma', '{"amountCents":1,}', 'malformed_json'],
    ['a number that JSON does not know', '{"amountCents":NaN}', 'malformed_json'],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'malformed_json'],
    ['empty', '', 'body_missing'],
    ['a prototype', '{"amountCents":1,"__proto__":{"admin":true}}', 'forbidden_field'],
    ['an escaped prototype', '{"amountCents":1,"\\u005f_proto__":{"a":1}}', 'forbidden_field'],
    ['a constructor', '{"amountCents":1,"constructor":{"prototype":{"a":1}}}', 'forbidden_field'],
    ['a field twice', '{"amountCents":1,"amountCents":100000}', 'duplicate_field'],
    ['a field twice, once escaped', '{"note":"a","n\\u006fte":"b"}', 'duplicate_field'],
    ['deep', `{"note":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'json_too_deep'],
  ])('%s', async (_name, body, code) => expectProblem(await post(body), 400, code));

  it('of another media type', async () => {
    expectProblem(
      await post('amountCents=1', { ...json, 'content-type': 'text/plain' }),
      415,
      'unsupported_media_type',
    );
  });

  it('of no media type', async () => {
    const body = new Blob(['{"amountCents":1}']);
    expectProblem(await post(body, { 'idempotency-key': key }), 415, 'unsupported_media_type');
  });

  it('that is not there at all', async () => {
    expectProblem(
      await call('/v1/orders', { method: 'POST', headers: { 'idempotency-key': key } }),
      400,
      'body_missing',
    );
  });

  it('larger than 64 KiB', async () => {
    expectProblem(await post(`{"note":"${'a'.repeat(70_000)}"}`), 413, 'body_too_large');
  });

  it('larger than 64 KiB, of unannounced length', async () => {
    const chunk = new TextEncoder().encode('a'.repeat(10_000));
    let left = 10;
    const body = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
    });
    const init = { method: 'POST', body, headers: json, duplex: 'half' } as RequestInit;
    expectProblem(await call('/v1/orders', init), 413, 'body_too_large');
  });
});

describe('a body of the wrong form names the place and the rule, never the value', () => {
  it.each([
    ['{}', 'amountCents', 'required'],
    ['{"amountCents":0}', 'amountCents', 'too_small'],
    ['{"amountCents":-1}', 'amountCents', 'too_small'],
    ['{"amountCents":1e309}', 'amountCents', 'invalid_type'],
    ['{"amountCents":-1e309}', 'amountCents', 'invalid_type'],
    ['{"amountCents":0.1}', 'amountCents', 'not_an_integer'],
    ['{"amountCents":"1000"}', 'amountCents', 'invalid_type'],
    ['{"amountCents":null}', 'amountCents', 'invalid_type'],
    ['{"amountCents":9007199254740992}', 'amountCents', 'too_big'],
    ['{"amountCents":1000000000000}', 'amountCents', 'too_big'],
    ['{"amountCents":1,"extra":"cpf 123"}', 'extra', 'unknown_field'],
    ['{"amountCents":1,"payee":{"key":"a","more":1}}', 'payee.more', 'unknown_field'],
    ['{"amountCents":1,"payee":{"key":"wrong"}}', 'payee.key', 'check_digits'],
    ['{"amountCents":1,"note":"123456789012345678901"}', 'note', 'too_big'],
    ['[]', '', 'invalid_type'],
    ['null', '', 'invalid_type'],
    ['"text"', '', 'invalid_type'],
  ])('%s', async (body, path, code) => {
    const answer = await post(body);
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.body['errors']).toContainEqual({ path, code });
    expect(JSON.stringify([answer.body, service.log.lines])).not.toMatch(/cpf 123|12345678901/);
  });

  it('names at most twenty places', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
    const answer = await post(JSON.stringify(many));
    expect(answer.body['errors']).toHaveLength(20);
  });
});

describe('idempotency keys', () => {
  const body = '{"amountCents":1}';
  it('are required', async () => {
    expectProblem(
      await post(body, { 'content-type': 'application/json' }),
      400,
      'idempotency_key_missing',
    );
  });
  it.each(['order-1', `${key} `.repeat(2), `${key},${key}`, key.replaceAll('-', ''), key.slice(1)])(
    'are one UUID: %s',
    async (given) =>
      expectProblem(
        await post(body, { ...json, 'idempotency-key': given }),
        400,
        'idempotency_key_malformed',
      ),
  );
});

describe('paths and methods', () => {
  it('unknown path', async () => expectProblem(await call('/v2/nothing'), 404, 'not_found'));
  it.each(['application/json', 'text/plain'])(
    'unknown path, whatever its body: %s',
    async (type) => {
      const init = { method: 'POST', body: '{', headers: { 'content-type': type } };
      expectProblem(await call('/v2/nothing', init), 404, 'not_found');
    },
  );
  it('known path, other method', async () => {
    const answer = await call('/v1/orders/x', { method: 'DELETE' });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });
  it('a path that cannot be decoded', async () =>
    expectProblem(await call('/v1/orders/%zz'), 400, 'malformed_url'));
  it('a parameter beyond its length', async () =>
    expectProblem(await call(`/v1/orders/${'x'.repeat(300)}`), 400, 'malformed_url'));
});

describe('what Node itself cannot read', () => {
  const send = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () =>
        socket.write(bytes),
      );
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
  it('no HTTP', async () => {
    expect(await send('hello\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 [^]*problem\+json[^]*"code":"bad_request"/,
    );
    expect(service.log.lines).toHaveLength(1);
  });
  it('endless headers', async () => {
    const answer = await send(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 [^]*"code":"headers_too_large"/);
  });
});

describe('refusals and failures of handlers', () => {
  it('tells a refusal in the language asked for', async () => {
    const answer = await call('/v1/orders/refused', {
      headers: { 'accept-language': 'pt-BR,en;q=0.5' },
    });
    expectProblem(answer, 422, 'insufficient_funds');
    expect(answer.body).toMatchObject({ detail: 'Saldo insuficiente.', shortCents: 5 });
    expect(answer.headers.get('content-language')).toBe('pt-BR');
  });
  it('tells nothing about a failure, and logs what failed', async () => {
    const answer = await call('/v1/orders/broken');
    expectProblem(answer, 500, 'internal_error');
    expect(JSON.stringify(answer.body)).not.toContain('secret of the implementation');
    expect(service.log.lines[0]).toMatchObject({ level: 'error', err: expect.any(TypeError) });
  });
  it('asks to come back when the failure passes by itself', async () => {
    const answer = await call('/v1/orders/lost');
    expectProblem(answer, 503, 'temporarily_unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
  });
});

describe('webhooks', () => {
  it.each([
    ['application/json', '{ "b": 1,\n "a": "\\u00e9" }\n'],
    ['application/json', 'not json'],
    ['text/plain', '\u00e9'],
    ['application/octet-stream', '\u0000'],
  ])('get the bytes as they came: %s %j', async (type, body) => {
    const answer = await call('/v1/webhooks', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { bytes: Buffer.from(body).toString('base64') },
    });
  });
  it('get nothing for an empty body', async () => {
    const answer = await call('/v1/webhooks', {
      method: 'POST',
      body: '',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 200, body: { bytes: '' } });
  });
});

describe('what is observed of a request', () => {
  const last = () => service.telemetry.requests.at(-1);
  it('its route, status and problem, and the incoming trace', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await call('/v1/orders/refused', { headers: { traceparent } });
    expect(last()).toEqual({
      method: 'GET',
      traceparent,
      outcome: { route: '/v1/orders/:id', status: 422, code: 'insufficient_funds' },
    });
    expect(service.log.lines[0]).toMatchObject({
      trace_id: 'a'.repeat(32),
      route: '/v1/orders/:id',
      method: 'GET',
    });
  });
  it('no route for an unknown path', async () => {
    await call('/v2/nothing');
    expect(last()?.outcome).toEqual({ route: undefined, status: 404, code: 'not_found' });
  });
  it('a path that the router itself refuses', async () => {
    await call('/v1/orders/%zz');
    expect(last()?.outcome).toEqual({ route: undefined, status: 400, code: 'malformed_url' });
  });
  it('nothing of probes', async () => {
    const before = service.telemetry.requests.length;
    expect((await call('/health/ready')).status).toBe(200);
    expect((await call('/health/live?from=balancer')).status).toBe(200);
    expect(service.telemetry.requests).toHaveLength(before);
  });
});
