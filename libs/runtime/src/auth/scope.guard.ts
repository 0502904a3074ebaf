import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { stateOf } from '../http/request-state.ts';
import { publicMetadata, scopeMetadata } from './decorators.ts';
import { refused, type TokenVerifier } from './token-verifier.ts';

/**
 * Closed by default: a route is open only if it says so, and without a verifier no token is good.
 */
export class ScopeGuard implements CanActivate {
  readonly #reflector = new Reflector();
  readonly #verifier: TokenVerifier | undefined;

  constructor(verifier: TokenVerifier | undefined) {
    this.#verifier = verifier;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http' || this.#metadata(publicMetadata, context) === true)
      return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!this.#verifier) throw refused('token_invalid');
    const caller = await this.#verifier.verify(request.headers.authorization);
    stateOf(request).caller = caller;
    const scope = this.#metadata(scopeMetadata, context);
    if (typeof scope === 'string') caller.requireScope(scope);
    return true;
  }

  #metadata(key: string, context: ExecutionContext): unknown {
    return this.#reflector.getAllAndOverride<unknown>(key, [
      context.getHandler(),
      context.getClass(),
    ]);
  }
}
