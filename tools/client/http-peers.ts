// HTTP to a service that runs in several replicas: as a careful caller does it, who takes the next replica when a
// connection fails and says the same thing again under the same Idempotency-Key.
import { setTimeout as pause } from 'node:timers/promises';
import { CodedError } from '@compasso/kernel';

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** The body as it stands, for what no serialiser would write. */
  readonly raw?: string;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the peers' own token; null = none. */
  readonly token?: string | null;
}

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

const unavailable = 503;
const limits = { answerWithinMs: 15_000, patienceMs: 60_000, pauseMs: 100 } as const;

export class HttpPeers {
  readonly addresses: readonly string[];
  readonly #token: string | undefined;
  #turn = 0;

  constructor(addresses: readonly string[], token?: string) {
    this.addresses = addresses;
    this.#token = token;
  }

  /** One try at one replica, in turn. @throws when there is no answer. */
  async once<Body = unknown>(call: Call): Promise<Answer<Body>> {
    const address = this.addresses[this.#turn++ % this.addresses.length]!;
    const response = await fetch(`${address}${call.path}`, {
      method: call.method ?? 'GET',
      headers: this.#headersOf(call),
      signal: AbortSignal.timeout(limits.answerWithinMs),
      ...bodyOf(call),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) as Body };
  }

  /** Tries again while nobody answers, or somebody answers that he cannot right now. */
  async call<Body = unknown>(call: Call): Promise<Answer<Body>> {
    const deadline = performance.now() + limits.patienceMs;
    for (;;) {
      const { answer, why } = await this.#attempt<Body>(call);
      if (answer !== undefined && answer.status !== unavailable) return answer;
      if (performance.now() > deadline) {
        const { method = 'GET', path } = call;
        throw new CodedError('no_answer', `${method} ${path}: no answer within ${limits.patienceMs} ms (${why})`);
      }
      await pause(limits.pauseMs * (1 + Math.random()));
    }
  }

  async #attempt<Body>(call: Call): Promise<{ readonly answer?: Answer<Body>; readonly why: string }> {
    try {
      const answer = await this.once<Body>(call);
      return { answer, why: `answered ${answer.status}` };
    } catch (error) {
      return { why: String(error) };
    }
  }

  #headersOf({ body, raw, idempotencyKey, token, headers }: Call): Record<string, string> {
    const bearer = token === undefined ? this.#token : (token ?? undefined);
    return {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined && raw === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...headers,
    };
  }
}

/** @throws CodedError `unexpected_answer` unless the status is one of those expected. */
export function expectStatus<Body>(answer: Answer<Body>, ...expected: readonly number[]): Body {
  if (expected.includes(answer.status)) return answer.body;
  throw new CodedError('unexpected_answer', `answered ${answer.status}, not ${expected.join(' or ')}: ${answer.text.slice(0, 300)}`);
}

const pagesMax = 10_000;

/** Everything of a list that is read page by page. @param path with its `?` */
export async function allPages<Item>(peers: HttpPeers, path: string, list: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: unknown;
  for (let page = 0; page < pagesMax; page += 1) {
    const from = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const body = expectStatus(await peers.call<Record<string, unknown>>({ path: `${path}${from}` }), 200);
    items.push(...(body[list] as readonly Item[]));
    cursor = body['nextCursor'];
    if (typeof cursor !== 'string') return items;
  }
  throw new CodedError('list_endless', `${path} has more than ${pagesMax} pages`);
}

function bodyOf({ body, raw }: Call): { body?: string } {
  if (raw !== undefined) return { body: raw };
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
