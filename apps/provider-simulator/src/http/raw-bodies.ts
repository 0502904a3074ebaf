// Bodies as the bytes that came: their digest is kept, and what they say is judged by the routes.
import type { FastifyInstance, FastifyRequest } from 'fastify';

export function useRawBodies(scope: FastifyInstance, bodyBytesMax: number): void {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: bodyBytesMax } as const;
  scope.addContentTypeParser('*', options, (_request, body, done) => done(null, body));
}

/** Nothing, when the request has no body. */
export const bytesOf = ({ body }: Pick<FastifyRequest, 'body'>): Buffer | undefined =>
  Buffer.isBuffer(body) ? body : undefined;

/** Nothing, when it is not JSON: one more way of not being what a route expects. */
export function jsonOf(bytes: Uint8Array | undefined): unknown {
  if (!bytes) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
