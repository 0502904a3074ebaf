// What we know of a request beside what Fastify knows.
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../auth/caller.ts';
import type { ObservedExchange } from '../ports.ts';

export interface RequestState {
  exchange: ObservedExchange | undefined;
  caller: Caller | undefined;
  /** The bytes of the body, as they came. */
  rawBody: Buffer | undefined;
  /** The code of the problem that was answered. */
  problemCode: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    compasso: RequestState | undefined;
  }
  interface FastifyContextConfig {
    rawBody?: boolean;
  }
}

export function stateOf(request: FastifyRequest): RequestState {
  request.compasso ??= {
    exchange: undefined,
    caller: undefined,
    rawBody: undefined,
    problemCode: undefined,
  };
  return request.compasso;
}

/** The bytes of the body, as they came; empty when there were none. */
export const rawBodyOf = (request: FastifyRequest): Buffer =>
  stateOf(request).rawBody ?? Buffer.alloc(0);

/** The pattern of the matched route, or nothing. */
export const routeOf = (request: FastifyRequest): string | undefined =>
  request.is404 ? undefined : request.routeOptions?.url;
