import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { invariant } from '@compasso/kernel';
import type { FastifyRequest } from 'fastify';
import { stateOf } from '../http/request-state.ts';

export const scopeMetadata = 'compasso:scope';
export const publicMetadata = 'compasso:public';

/**
 * The token must carry this scope. A route without any decorator needs a valid token all the same.
 */
export const RequireScope = (scope: string): MethodDecorator & ClassDecorator =>
  SetMetadata(scopeMetadata, scope);

/** No token is asked for, for example where a signature over the body proves the sender. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(publicMetadata, true);

/** The `Caller` of the request. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { caller } = stateOf(context.switchToHttp().getRequest<FastifyRequest>());
  invariant(caller, 'a public route has no caller');
  return caller;
});

/** The body is the bytes as they came, of any content type: see `rawBodyOf`. */
export const RawBody = (): MethodDecorator => RouteConfig({ rawBody: true }) as MethodDecorator;
