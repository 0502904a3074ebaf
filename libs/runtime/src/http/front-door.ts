// Answers before Fastify: for routes that are asked so often, or so plainly, that routing, hooks and
// Nest would cost more than the answer. Such a call is observed as any other; whoever answers it
// judges its caller, its body and its errors alone.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ReadinessRegistry } from '../health/readiness.ts';
import type { ServiceTelemetry } from '../ports.ts';
import { clientClosedRequest } from './observation.ts';

export interface FrontDoor {
  /** The pattern of the route that will answer, as metrics name it; nothing: it is Fastify's. */
  routeOf(request: IncomingMessage): string | undefined;
  answer(request: IncomingMessage, response: ServerResponse): void;
}

export interface FrontDoorPlace {
  readonly door: FrontDoor;
  readonly telemetry: Pick<ServiceTelemetry, 'http'>;
  readonly readiness: Pick<ReadinessRegistry, 'isStopping'>;
}

export interface ServerLimits {
  readonly keepAliveTimeout: number;
  readonly requestTimeout: number;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that asks at the front door first, and hands everything else to `handler`. */
export function serverOf(handler: Handler, limits: ServerLimits, place?: FrontDoorPlace): Server {
  if (!place) return createServer(limits, handler);
  return createServer(limits, (request, response) => {
    if (!isTaken(request, response, place)) handler(request, response);
  });
}

// A service that stops takes no call here: Fastify's hooks tell the caller to go elsewhere.
function isTaken(
  request: IncomingMessage,
  response: ServerResponse,
  { door, telemetry, readiness }: FrontDoorPlace,
): boolean {
  const route = readiness.isStopping ? undefined : door.routeOf(request);
  if (route === undefined) return false;
  const { traceparent } = request.headers;
  const exchange = telemetry.http.begin({
    method: request.method ?? '',
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  });
  response.once('close', () => {
    const status = response.writableFinished ? response.statusCode : clientClosedRequest;
    exchange.end({ route, status });
  });
  exchange.run(() => door.answer(request, response));
  return true;
}
