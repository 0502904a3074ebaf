// Bodies: strict JSON everywhere, and untouched bytes on routes marked @RawBody(), where a
// signature must be verified before anything is parsed (field failure I-01).
import { TextDecoder } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { flawOfJson } from './json-text.ts';
import { stateOf } from './request-state.ts';
import { standardProblem } from './standard-problems.ts';

type Done = (error: Error | null, body?: unknown) => void;

export function useStrictBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      receive(request, bytes as Buffer, done);
    },
  );
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (wantsBytes(request) || request.is404) receive(request, bytes as Buffer, done);
    else done(standardProblem('unsupported_media_type'));
  });
}

function receive(request: FastifyRequest, bytes: Buffer, done: Done): void {
  stateOf(request).rawBody = bytes;
  // On a path that no route matches, that is the news: not what its body looks like.
  if (wantsBytes(request) || request.is404) {
    done(null, bytes);
    return;
  }
  try {
    done(null, parseJson(bytes));
  } catch (error) {
    done(error as Error);
  }
}

const wantsBytes = (request: FastifyRequest): boolean =>
  request.routeOptions.config.rawBody === true;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Problem 400 */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw standardProblem('body_missing');
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    // No cause: the parser's sentence quotes the body.
    throw standardProblem('malformed_json');
  }
  const flaw = flawOfJson(text);
  if (flaw) throw standardProblem(flaw);
  return value;
}
