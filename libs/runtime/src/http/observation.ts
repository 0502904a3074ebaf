// One SERVER span and one line of metrics per request, by Fastify's hooks: Nest 12 is out of reach
// of automatic instrumentation (field failure H-01). Probes leave no trace: a root span per probe
// would flood (H-06).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isHealthPath } from '../health/health-answer.ts';
import type { ObservedExchange, ServiceTelemetry } from '../ports.ts';
import { routeOf, stateOf } from './request-state.ts';

/** nginx's word for a client that left before the answer; there is no standard one. */
export const clientClosedRequest = 499;

export function observeRequests(
  fastify: FastifyInstance,
  telemetry: Pick<ServiceTelemetry, 'http'>,
): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isHealthPath(request.url)) {
      done();
      return;
    }
    beginExchange(request, telemetry).run(done);
  });
  // The body arrives in the connection's own context: the span is made active again for everything
  // after it.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const { exchange } = stateOf(request);
    if (exchange) exchange.run(done);
    else done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    endExchange(request, reply.statusCode);
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    endExchange(request, clientClosedRequest);
    done();
  });
}

export function beginExchange(
  request: FastifyRequest,
  telemetry: Pick<ServiceTelemetry, 'http'>,
): ObservedExchange {
  const exchange = telemetry.http.begin({
    method: request.method,
    traceparent: textOf(request.headers['traceparent']),
  });
  stateOf(request).exchange = exchange;
  return exchange;
}

export function endExchange(request: FastifyRequest, status: number): void {
  const state = stateOf(request);
  state.exchange?.end({ route: routeOf(request), status, code: state.problemCode });
  state.exchange = undefined;
}

const textOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined;
