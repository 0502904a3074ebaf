// One HTTP call of which we know afterwards whether a byte of it can have left. undici's plain `request` cannot tell: it
// reports "no connection" and "no answer" in the same way, and has no hook between the two. `dispatch` has: a handler's
// `onRequestStart` runs once a socket is at hand, synchronously before the request line is written to it.
import type { Dispatcher } from 'undici';
import { CodedError } from '@compasso/kernel';

export interface HttpCall {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Until a connection is there, and again from the first byte until the end of the answer. */
  readonly timeoutMs: number;
  readonly mayStart?: () => string | undefined;
}

export type HttpResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** In lower case; of one that was repeated, the first. */
      readonly header: (name: string) => string | undefined;
      readonly body: string;
    }
  /** No byte has left, and none will. */
  | { readonly kind: 'not_started'; readonly cause: string }
  /** Something may have arrived. */
  | { readonly kind: 'lost'; readonly cause: string };

/** Answers are small; whatever is larger is not one. */
const answerBytesMax = 65_536;

export function callHttp(dispatcher: Dispatcher, call: HttpCall): Promise<HttpResult> {
  return new Promise((resolve) => {
    const exchange = new Exchange(call, resolve);
    exchange.awaitConnection();
    const { method, path, headers, body } = call;
    try {
      dispatcher.dispatch({ method, path, headers: { ...headers }, body: body ?? null }, exchange);
    } catch (error) {
      exchange.fail(error);
    }
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #call: HttpCall;
  readonly #resolve: (result: HttpResult) => void;
  #timer: NodeJS.Timeout | undefined;
  #hasStarted = false;
  #hasEnded = false;
  #status = 0;
  #headers: IncomingHeaders = {};
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(call: HttpCall, resolve: (result: HttpResult) => void) {
    this.#call = call;
    this.#resolve = resolve;
  }

  awaitConnection(): void {
    this.#timer = setTimeout(() => {
      this.#end({ kind: 'not_started', cause: 'connect_timeout' });
    }, this.#call.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const cause = this.#hasEnded ? 'connect_timeout' : this.#call.mayStart?.();
    if (this.#hasEnded || cause !== undefined) {
      if (cause !== undefined) this.#end({ kind: 'not_started', cause });
      controller.abort(new CodedError('call_not_permitted', 'A call was kept from leaving.', { cause }));
      return;
    }
    // A repeat by the client itself would be a call that nobody decided.
    if (this.#hasStarted) {
      controller.abort(new CodedError('call_repeated', 'A call is written once.', {}));
      return;
    }
    this.#hasStarted = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#end({ kind: 'lost', cause: 'timeout' });
      controller.abort(new CodedError('call_timeout', 'A call was not answered in time.', {}));
    }, this.#call.timeoutMs);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHeaders,
  ): void {
    this.#status = status;
    // As undici read them: their names are in lower case.
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= answerBytesMax) {
      this.#chunks.push(chunk);
      return;
    }
    this.#end({ kind: 'lost', cause: 'answer_too_large' });
    controller.abort(new CodedError('answer_too_large', 'An answer is larger than any answer is.', {}));
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8');
    const header = (name: string): string | undefined => {
      const value = this.#headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    this.#end({ kind: 'answered', status: this.#status, header, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    const cause = causeOf(error);
    this.#end(this.#hasStarted ? { kind: 'lost', cause } : { kind: 'not_started', cause });
  }

  #end(result: HttpResult): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }
}

type IncomingHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
};

/** A code of ours for every failure: messages of the network stack hold addresses. */
function causeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== 'string') return 'connection_failed';
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(code)) return 'tls_failed';
  return causes[code] ?? 'connection_failed';
}
