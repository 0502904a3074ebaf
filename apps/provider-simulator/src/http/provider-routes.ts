// The provider's API, straight on Fastify: this is a foreign system, so it has an error format of its own, reads raw
// bytes, and may answer with silence or a broken connection. Nest's pipes and problem details stay out of here.
import { instantFromWire, isWireInstant } from '@compasso/kernel';
import type { ServiceLogger } from '@compasso/runtime';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../domain/payout.decide.ts';
import { digestOf, readPayoutId, readPayoutRequest } from './payout-request.ts';
import type { CallFacts, Page, ProviderDesk } from './provider-desk.ts';
import type { UnservedSockets } from './unserved-sockets.ts';
import { cursorOnWire, errorOnWire, orderOnWire, readCursor } from './wire.ts';

export interface ProviderRoutesDependencies {
  readonly desk: ProviderDesk;
  readonly sockets: UnservedSockets;
  readonly isAuthorized: (authorization: string | undefined) => boolean;
  readonly logger: Pick<ServiceLogger, 'error'>;
}

export const providerApiLimits = { bodyBytesMax: 16_384, pageDefault: 100, pageMax: 500 } as const;

type WithId = { Params: { id: string } };

/** A Fastify plugin for the prefix `/v1`. */
export function providerRoutes({ desk, sockets, isAuthorized, logger }: ProviderRoutesDependencies) {
  const speak = (reply: FastifyReply, answer: Answer | Page) => answerWith({ reply, answer, sockets });
  const refuse = async (request: FastifyRequest, reply: FastifyReply, [status, code]: [number, string]) =>
    speak(reply, await desk.refuse(status, code, factsOf(request)));

  return async (scope: FastifyInstance): Promise<void> => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: providerApiLimits.bodyBytesMax }, keepRaw);
    scope.addHook('onRequest', async (request, reply) => {
      if (!isAuthorized(request.headers.authorization)) await refuse(request, reply, [401, 'unauthorized']);
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
      const body = bytesOf(request.body);
      const asked = readPayoutRequest(payoutId, body);
      if (!asked) return refuse(request, reply, [400, 'invalid_request']);
      const { traceparent } = request.headers;
      const traced = typeof traceparent === 'string' ? { ...asked, traceparent } : asked;
      return speak(reply, await desk.submit(traced, factsOf(request, payoutId)));
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

function keepRaw(_request: FastifyRequest, body: Buffer, done: (error: null, body: Buffer) => void): void {
  done(null, body);
}

const bytesOf = (body: unknown): Uint8Array => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

function factsOf(request: FastifyRequest, payoutId?: string): CallFacts {
  const { body } = request;
  return {
    method: request.method,
    path: request.url,
    ...(payoutId && { payoutId }),
    ...(Buffer.isBuffer(body) && { bodyDigest: digestOf(body) }),
  };
}

const knownError = (status: number): [number, string] =>
  status >= 500 ? [500, 'internal_error'] : [400, 'invalid_request'];

function readListQuery(query: Record<string, unknown>) {
  const { from, to, cursor, limit = String(providerApiLimits.pageDefault) } = query;
  if (typeof from !== 'string' || typeof to !== 'string' || typeof limit !== 'string') return undefined;
  if (!isWireInstant(from) || !isWireInstant(to) || !/^[1-9]\d{0,2}$/.test(limit)) return undefined;
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
