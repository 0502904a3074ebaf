// What is recorded of each HTTP request: one SERVER span and the request metrics. The HTTP server
// itself lives in @compasso/runtime, which sees this through an interface of its own.
import { counter, histogram } from './metrics.ts';
import { type HttpMethod, httpMethods } from './span-names.ts';
import { type SpanHandle, spanFrom } from './spans.ts';

export interface HttpOutcome {
  /** The route's pattern; never the path, which has unbounded values. */
  readonly route: string | undefined;
  readonly status: number;
  /** The code of the problem that was answered, if one was. */
  readonly code?: string | undefined;
}

export interface HttpExchange {
  readonly traceId: string | undefined;
  run<T>(work: () => T): T;
  end(outcome: HttpOutcome): void;
}

export interface HttpObserver {
  begin(request: {
    readonly method: string;
    readonly traceparent: string | undefined;
  }): HttpExchange;
}

const requests = counter('compasso_http_requests_total');
const durations = histogram('compasso_http_request_duration_seconds');
const refusals = counter('compasso_http_refusals_total');

export const httpObserver: HttpObserver = {
  begin(request) {
    const method = known(request.method);
    const startedAt = performance.now();
    const span = spanFrom(`${method} `, 'server', {
      parent: request.traceparent,
      attributes: { 'http.request.method': method },
    });
    return {
      get traceId() {
        return span.traceId;
      },
      run: (work) => span.run(work),
      end: (outcome) => record({ span, method, startedAt, outcome }),
    };
  },
};

interface Ended {
  readonly span: SpanHandle;
  readonly method: HttpMethod;
  readonly startedAt: number;
  readonly outcome: HttpOutcome;
}

function record({ span, method, startedAt, outcome }: Ended): void {
  const route = outcome.route ?? 'unmatched';
  span.rename(`${method} ${route}`);
  span.set({ 'http.route': route, 'http.response.status_code': outcome.status });
  if (outcome.code) span.set({ 'compasso.problem.code': outcome.code });
  // A refusal is a good answer: only our own failures mark the span (OpenTelemetry's rule for
  // servers).
  if (outcome.status >= 500) span.fail(outcome.code ?? String(outcome.status));
  span.end();
  requests.add(1, { method, route, status: String(outcome.status) });
  durations.record((performance.now() - startedAt) / 1_000, { method, route });
  if (outcome.code) refusals.add(1, { route, code: outcome.code });
}

/** Methods are labels: anything that a stranger invents counts as one value. */
const known = (method: string): HttpMethod =>
  httpMethods.includes(method as HttpMethod) ? (method as HttpMethod) : '_OTHER';
