// The provider's API, straight on Node's server: this is a foreign system, so it has an error format
// of its own, reads raw bytes, may answer with silence or a broken connection, and, where load is
// measured, must not cost more than what is measured.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FrontDoor, ServiceLogger } from '@compasso/runtime';
import type { Answer } from '../domain/payout.decide.ts';
import { readListQuery } from './list-query.ts';
import { digestOf, readPayoutId, readPayoutRequest } from './payout-request.ts';
import type { CallFacts, Page, ProviderDesk } from './provider-desk.ts';
import { bodyOf } from './request-body.ts';
import { ProviderVoice } from './provider-voice.ts';
import type { UnservedSockets } from './unserved-sockets.ts';

export interface ProviderDoorDependencies {
  readonly desk: ProviderDesk;
  readonly sockets: UnservedSockets;
  readonly isAuthorized: (authorization: string | undefined) => boolean;
  readonly logger: Pick<ServiceLogger, 'error'>;
}

const bodyBytesMax = 16_384;

/** Of headers and paths, in the store. */
const textKeptMax = 256;

const prefix = '/v1/';
const listPath = '/v1/payouts';
const orderPrefix = `${listPath}/`;
const orderPattern = `${orderPrefix}:id`;

interface Asked {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: string;
  readonly facts: CallFacts;
}

export class ProviderDoor implements FrontDoor {
  readonly #dependencies: ProviderDoorDependencies;
  readonly #voice: ProviderVoice;

  constructor(dependencies: ProviderDoorDependencies) {
    this.#dependencies = dependencies;
    this.#voice = new ProviderVoice(dependencies.sockets);
  }

  routeOf({ url = '' }: IncomingMessage): string | undefined {
    return url.startsWith(prefix) ? routeOfPath(pathOf(url)) : undefined;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    void this.#serve(request).then(
      (answer) => answer && this.#voice.speak(answer, response),
      (error: unknown) => this.#fail(error, request, response),
    );
  }

  /** Nothing, when the caller has left before it had said everything. */
  async #serve(request: IncomingMessage): Promise<Answer | Page | undefined> {
    const { desk, isAuthorized } = this.#dependencies;
    const facts = factsOf(request);
    if (!isAuthorized(request.headers.authorization))
      return desk.refuse(401, 'unauthorized', facts);
    const url = request.url ?? '';
    const path = pathOf(url);
    const asked = { request, path, query: url.slice(path.length), facts };
    switch (`${request.method} ${routeOfPath(path)}`) {
      case `PUT ${orderPattern}`:
        return this.#submit(asked);
      case `GET ${orderPattern}`:
        return this.#query(asked);
      case `GET ${listPath}`:
        return this.#list(asked);
      default:
        return desk.refuse(404, 'route_not_found', facts);
    }
  }

  async #submit({ request, path, facts }: Asked): Promise<Answer | undefined> {
    const { desk } = this.#dependencies;
    const body = await bodyOf(request, bodyBytesMax);
    if (body === 'cut_off') return undefined;
    if (body === 'too_large') return desk.refuse(413, 'body_too_large', facts);
    const bodyDigest = digestOf(body);
    const payoutId = readPayoutId(path.slice(orderPrefix.length));
    if (!payoutId) return desk.refuse(400, 'invalid_id', { ...facts, bodyDigest });
    const asked = readPayoutRequest(payoutId, body);
    if (!asked) return desk.refuse(400, 'invalid_request', { ...facts, bodyDigest });
    return desk.submit({ ...asked, ...traceOf(request) }, { ...facts, payoutId, bodyDigest });
  }

  async #query({ path, facts }: Asked): Promise<Answer> {
    const { desk } = this.#dependencies;
    const payoutId = readPayoutId(path.slice(orderPrefix.length));
    if (!payoutId) return desk.refuse(400, 'invalid_id', facts);
    return desk.query(payoutId, { ...facts, payoutId });
  }

  async #list({ query, facts }: Asked): Promise<Answer | Page> {
    const { desk } = this.#dependencies;
    const asked = readListQuery(new URLSearchParams(query));
    return asked ? desk.list(asked, facts) : desk.refuse(400, 'invalid_request', facts);
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const { desk, logger } = this.#dependencies;
    logger.error({ err: error }, 'a call failed inside the simulator');
    desk.refuse(500, 'internal_error', factsOf(request)).then(
      (answer) => this.#voice.speak(answer, response),
      // Not even the refusal could be kept: the caller learns that nobody answers.
      () => response.destroy(),
    );
  }
}

function routeOfPath(path: string): string {
  if (path.startsWith(orderPrefix)) return orderPattern;
  return path === listPath ? listPath : 'unmatched';
}

const pathOf = (url: string): string => {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
};

/** Kept as it came; whoever continues the trace judges it. */
function traceOf({ headers: { traceparent } }: IncomingMessage): { traceparent?: string } {
  return typeof traceparent === 'string' && traceparent.length <= textKeptMax
    ? { traceparent }
    : {};
}

const factsOf = ({ method = '', url = '' }: IncomingMessage): CallFacts => ({
  method,
  path: url.slice(0, textKeptMax),
});
