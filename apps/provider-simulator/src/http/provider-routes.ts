// The provider's API, straight on Fastify: this is a foreign system, so it has an error format of
// its own, reads raw bytes, and may answer with silence or a broken connection. Nest's pipes and
// problem details stay out of here.
import { instantFromWire, isWireInstant } from '@compasso/kernel';
import type { ServiceLogger } from '@compasso/runtime';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../domain/payout.decide.ts';
import { digestOf, readPayoutId, readPayoutRequest } from './payout-request.ts';
import type { CallFacts, Page, ProviderDesk } from './provider-desk.ts';
import { bytesOf, useRawBodies } from './raw-bodies.ts';
import type { UnservedSockets } from './unserved-sockets.ts';
import { cursorOnWire, errorOnWire, orderOnWire, readCursor } from './wire.ts';

export interface ProviderRoutesDependencies {
  readonly desk: ProviderDesk;
  readonly sockets: UnservedSockets;
  readonly isAuthorized: (authorization: string | undefined) => boolean;
  readonly logger: Pick<ServiceLogger, 'error'>;
}

export const providerApiLimits = { bodyBytesMax: 16_384, pageDefault: 100, pageMax: 500 } as const;

/** Of headers and paths, in the store. */
const textKeptMax = 256;

type WithId = { Params: { id: string } };

/** A Fastify plugin for the prefix `/v1`. */
export function providerRoutes({
  desk,
  sockets,
  isAuthorized,
  logger,
}: ProviderRoutesDependencies) {
  const speak = (reply: FastifyReply, answer: Answer | Page) =>
    answerWith({ reply, answer, sockets });
  const refuse = async (
    request: FastifyRequest,
    reply: FastifyReply,
    [status, code]: [number, string],
  ) => speak(reply, await desk.refuse(status, code, factsOf(request)));

  return async (scope: FastifyInstance): Promise<void> => {
    useRawBodies(scope, providerApiLimits.bodyBytesMax);
    scope.addHook('onRequest', async (request, reply) => {
      if (isAuthorized(request.headers.authorization)) return;
      await refuse(request, reply, [401, 'unauthorized']);
    });
    scope.setErrorHandler<FastifyError>(async (error, request, reply) => {
      const status = error.statusCode ?? 500;
      if (status >= 500) logger.error({ err: error }, 'a call failed inside the simulator');
      await refuse(request, reply, status === 413 ? [413, 'body_too_large'] : knownError(status));
    });
    scope.setNotFoundHandler((request, reply) => refuse(request, reply, [404, 'route_not_found']));

    scope.put<WithId>('/payouts/:id', async (request, reply) => {
      const payoutId = readPayoutId(request.params.id);
      if (!payoutId) return refuse(request, reply, [400, 'invalid_id']);
      const asked = readPayoutRequest(payoutId, bytesOf(request));
      if (!asked) return refuse(request, reply, [400, 'invalid_request']);
      const submission = { ...asked, ...traceOf(request) };
      return speak(reply, await desk.submit(submission, factsOf(request, payoutId)));
    });

    scope.get<WithId>('/payouts/:id', async (request, reply) => {
      const payoutId = readPayoutId(request.params.id);
      if (!payoutId) return refuse(request, reply, [400, 'invalid_id']);
      return speak(reply, await desk.query(payoutId, factsOf(request, payoutId)));
    });

    scope.get('/payouts', async (request, reply) => {
      const asked = readListQuery(request.query as Record<string, unknown>);
      if (!asked) return refuse(request, reply, [400, 'invalid_request']);
      return speak(reply, await desk.list(asked, factsOf(request)));
    });
  };
}

/** Kept as it came; whoever continues the trace judges it. */
function traceOf({ headers: { traceparent } }: FastifyRequest): { traceparent?: string } {
  return typeof traceparent === 'string' && traceparent.length <= textKeptMax
    ? { traceparent }
    : {};
}

function factsOf(request: FastifyRequest, payoutId?: string): CallFacts {
  const bytes = bytesOf(request);
  return {
    method: request.method,
    path: request.url.slice(0, textKeptMax),
    ...(payoutId && { payoutId }),
    ...(bytes && { bodyDigest: digestOf(bytes) }),
  };
}

const knownError = (status: number): [number, string] =>
  status >= 500 ? [500, 'internal_error'] : [400, 'invalid_request'];

function readListQuery(query: Record<string, unknown>) {
  const { from, to, cursor, limit = String(providerApiLimits.pageDefault) } = query;
  if (typeof from !== 'string' || !isWireInstant(from)) return undefined;
  if (typeof to !== 'string' || !isWireInstant(to)) return undefined;
  if (typeof limit !== 'string' || !/^[1-9]\d{0,2}$/.test(limit)) return undefined;
  if (Number(limit) > providerApiLimits.pageMax) return undefined;
  const asked = { from: instantFromWire(from), to: instantFromWire(to), limit: Number(limit) };
  if (cursor === undefined) return asked;
  const after = typeof cursor === 'string' ? readCursor(cursor) : undefined;
  return after && { ...asked, after };
}

interface Speaking {
  readonly reply: FastifyReply;
  readonly answer: Answer | Page;
  readonly sockets: UnservedSockets;
}

async function answerWith({ reply, answer, sockets }: Speaking): Promise<FastifyReply> {
  const { socket } = reply.request.raw;
  switch (answer.kind) {
    case 'silence':
      sockets.keepSilent(socket);
      return reply.hijack();
    case 'reset':
      reply.hijack();
      sockets.reset(socket);
      return reply;
    case 'unreadable':
      return reply.code(200).type('text/html').send('<html><body>502 Bad Gateway</body></html>');
    case 'refusal':
      if (answer.retryAfterSeconds) reply.header('retry-after', answer.retryAfterSeconds);
      return reply.code(answer.status).send(errorOnWire(answer.code));
    case 'page':
      return reply.send({
        items: answer.orders.map(orderOnWire),
        nextCursor: answer.next ? cursorOnWire(answer.next) : null,
      });
    case 'order':
      if (answer.afterMs > 0) await new Promise((resolve) => setTimeout(resolve, answer.afterMs));
      return reply.code(answer.status).send(orderOnWire(answer.order));
  }
}
