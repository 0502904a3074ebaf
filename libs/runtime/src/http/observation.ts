// One SERVER span and one line of metrics per request, by Fastify's hooks: Nest 12 is out of reach
// of automatic instrumentation (field failure H-01). Probes leave no trace: a root span per probe
// would flood (H-06).
import type { FastifyInstance } from 'fastify';
import { healthPaths } from '../health/health-answer.ts';
import type { ServiceTelemetry } from '../ports.ts';
import { routeOf, stateOf } from './request-state.ts';

const probes: ReadonlySet<string> = new Set(healthPaths);

/** nginx's word for a client that left before the answer; there is no standard one. */
const clientClosedRequest = 499;

export function observeRequests(
  fastify: FastifyInstance,
  telemetry: Pick<ServiceTelemetry, 'http'>,
): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (probes.has(request.url)) {
      done();
      return;
    }
    const exchange = telemetry.http.begin({
      method: request.method,
      traceparent: textOf(request.headers['traceparent']),
    });
    stateOf(request).exchange = exchange;
    exchange.run(done);
  });
  // The body arrives in the connection's own context: the span is made active again for everything
  // after it.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const { exchange } = stateOf(request);
    if (exchange) exchange.run(done);
    else done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const state = stateOf(request);
    state.exchange?.end({
      route: routeOf(request),
      status: reply.statusCode,
      code: state.problemCode,
    });
    state.exchange = undefined;
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    const state = stateOf(request);
    state.exchange?.end({ route: routeOf(request), status: clientClosedRequest });
    state.exchange = undefined;
    done();
  });
}

const textOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined;
