// Which methods a path offers, so that a known path with a wrong method is told 405 and not 404.
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pathOf } from '../health/health-answer.ts';

export class AllowedMethods {
  readonly #routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** Must be called before the routes are added. */
  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', (route: RouteOptions) => {
      this.#routes.push({ pattern: patternOf(route.url), methods: [route.method].flat() });
    });
  }

  of(url: string): readonly string[] {
    const path = pathOf(url);
    const matching = this.#routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => methods))].sort();
  }
}

/** `/v1/transfers/:id` → one segment per parameter; `*` takes the rest. */
const patternOf = (route: string): RegExp => {
  const source = route
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:[A-Za-z0-9_]+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
};
