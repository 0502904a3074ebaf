import type { ServerResponse } from 'node:http';
import { eventually } from '@compasso/testing';
import type { FrontDoor } from './front-door.ts';
import { type HttpFixture, startOrders } from './http-app.fixture.ts';

const silent: ServerResponse[] = [];

const door: FrontDoor = {
  routeOf: ({ url }) => (url?.startsWith('/door/') ? '/door/:id' : undefined),
  answer(request, response) {
    if (request.url === '/door/silence') silent.push(response);
    else response.writeHead(202).end(request.url);
  },
};

let service: HttpFixture;
beforeEach(async () => {
  service = await startOrders(undefined, door);
});
afterEach(() => service.close());

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const call = (path: string, init?: RequestInit) => fetch(`${service.url}${path}`, init);
const outcome = () =>
  eventually(() => service.telemetry.requests.at(-1)?.outcome, { because: 'a call has ended' });

describe('the front door', () => {
  it('answers what it takes, and the call is observed', async () => {
    const answer = await call('/door/1', { headers: { traceparent } });
    expect([answer.status, await answer.text()]).toEqual([202, '/door/1']);
    expect(await outcome()).toEqual({ route: '/door/:id', status: 202 });
    expect(service.telemetry.requests).toEqual([
      expect.objectContaining({ method: 'GET', traceparent }),
    ]);
  });

  it('leaves everything else to Fastify', async () => {
    const answer = await call('/v1/orders/7');
    expect([answer.status, await answer.json()]).toEqual([200, { id: '7' }]);
    expect(await outcome()).toMatchObject({ route: '/v1/orders/:id', status: 200 });
  });

  it('records a caller that left without an answer', async () => {
    const patience = new AbortController();
    const asked = call('/door/silence', { signal: patience.signal });
    await eventually(() => silent.length === 1, { because: 'the call has come' });
    patience.abort();
    await expect(asked).rejects.toThrow('aborted');
    expect(await outcome()).toEqual({ route: '/door/:id', status: 499 });
  });

  it('is shut while the service stops', async () => {
    service.readiness.stopping();
    const answer = await call('/door/1');
    expect([answer.status, answer.headers.get('connection')]).toEqual([503, 'close']);
  });
});
