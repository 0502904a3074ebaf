// The admin endpoint's bodies, on Fastify.
import type { FastifyInstance, FastifyRequest } from 'fastify';

export function useRawBodies(scope: FastifyInstance, bodyBytesMax: number): void {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: bodyBytesMax } as const;
  scope.addContentTypeParser('*', options, (_request, body, done) => done(null, body));
}

/** Nothing, when the request has no body. */
export const bytesOf = ({ body }: Pick<FastifyRequest, 'body'>): Buffer | undefined =>
  Buffer.isBuffer(body) ? body : undefined;
