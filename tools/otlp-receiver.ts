// A sink for traces over OTLP/HTTP JSON, for the demo, `verify` and tests: it keeps the spans that
// really left the services, so that a trace is judged by what was received. `GET /spans` gives them
// to other processes.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CodedError } from '@compasso/kernel';
import { type Forwarder, forwarderTo } from './otlp-forwarder.ts';
import { type ReceivedSpan, spansOf } from './otlp-spans.ts';

export type { ReceivedSpan };

export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  spans(): readonly ReceivedSpan[];
  /**
   * Spans let go because the memory is bounded: anything but 0 makes a verdict about orphans
   * worthless.
   */
  dropped(): number;
  clear(): void;
  stop(): Promise<void>;
}

export interface OtlpReceiverOptions {
  /** Any free one, when missing. */
  readonly port?: number;
  readonly spansMax?: number;
  /** Base URL of a collector that gets every export as well. */
  readonly forwardTo?: string | undefined;
}

const limits = { spansMax: 500_000, bodyBytesMax: 16 * 1_024 * 1_024 } as const;

export async function startOtlpReceiver(options: OtlpReceiverOptions = {}): Promise<OtlpReceiver> {
  const store = new SpanStore(options.spansMax ?? limits.spansMax);
  const forwarder = options.forwardTo === undefined ? undefined : forwarderTo(options.forwardTo);
  const server = createServer((request, response) => {
    handle({ store, forwarder }, request, response).catch((error: unknown) => {
      response.writeHead(error instanceof CodedError ? 400 : 500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => store.spans(),
    dropped: () => store.dropped,
    clear: () => store.clear(),
    async stop() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await forwarder?.settled();
    },
  };
}

/** Reads what the receiver of another process holds. */
export async function readReceivedSpans(endpoint: string): Promise<readonly ReceivedSpan[]> {
  const response = await fetch(`${endpoint}/spans`);
  if (!response.ok)
    throw new CodedError('spans_unreadable', 'The receiver of spans refused.', {
      status: response.status,
    });
  return (await response.json()) as readonly ReceivedSpan[];
}

// A span that is sent again (its first answer was lost) replaces itself.
class SpanStore {
  readonly #byId = new Map<string, ReceivedSpan>();
  readonly #spansMax: number;
  dropped = 0;

  constructor(spansMax: number) {
    this.#spansMax = spansMax;
  }

  add(span: ReceivedSpan): void {
    const id = `${span.traceId}/${span.spanId}`;
    if (!this.#byId.has(id) && this.#byId.size >= this.#spansMax) {
      const oldest = this.#byId.keys().next().value;
      if (oldest !== undefined) this.#byId.delete(oldest);
      this.dropped += 1;
    }
    this.#byId.set(id, span);
  }

  spans(): readonly ReceivedSpan[] {
    return [...this.#byId.values()];
  }

  clear(): void {
    this.#byId.clear();
    this.dropped = 0;
  }
}

interface Sinks {
  readonly store: SpanStore;
  readonly forwarder: Forwarder | undefined;
}

async function handle(
  { store, forwarder }: Sinks,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0];
  if (request.method === 'GET' && path === '/spans') {
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-spans-dropped': String(store.dropped),
    });
    response.end(JSON.stringify(store.spans()));
    return;
  }
  if (request.method !== 'POST' || path !== '/v1/traces') {
    response.writeHead(404).end();
    return;
  }
  const bytes = await bytesOf(request);
  for (const span of spansOf(await decoded(bytes, request))) store.add(span);
  forwarder?.pass(bytes, request.headers);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}

const unzip = promisify(gunzip);

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limits.bodyBytesMax)
      throw new CodedError('otlp_too_large', 'An export is larger than accepted.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function decoded(bytes: Buffer, { headers }: IncomingMessage): Promise<unknown> {
  try {
    const plain =
      headers['content-encoding'] === 'gzip'
        ? await unzip(bytes, { maxOutputLength: limits.bodyBytesMax })
        : bytes;
    return JSON.parse(plain.toString('utf8'));
  } catch (error) {
    throw new CodedError(
      'otlp_unreadable',
      'An export is not OTLP/HTTP JSON.',
      {},
      { cause: error },
    );
  }
}
