// What this library needs of logs and telemetry, in its own words: it may import the kernel alone.
// The types of @compasso/observability (`Logger`, `Telemetry`) fit as they are.
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface ServiceLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
}

export interface ObservedExchange {
  readonly traceId: string | undefined;
  run<T>(work: () => T): T;
  end(outcome: {
    readonly route: string | undefined;
    readonly status: number;
    readonly code?: string | undefined;
  }): void;
}

export interface ServiceTelemetry {
  readonly http: {
    begin(request: {
      readonly method: string;
      readonly traceparent: string | undefined;
    }): ObservedExchange;
  };
  metricsHandler(request: IncomingMessage, response: ServerResponse): void;
  /** Shows readiness as metrics until the returned function is called. */
  observeReadiness(read: () => ReadinessReport): () => void;
  shutdown(): Promise<void>;
}

export interface CheckResult {
  readonly ok: boolean;
  readonly detail?: string | undefined;
}

export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, CheckResult>>;
}
