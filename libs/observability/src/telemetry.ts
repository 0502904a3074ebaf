// Starts traces and metrics for one process, and ends them last, within a deadline, whatever the
// collector does.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import { httpObserver, type HttpObserver } from './http-observer.ts';
import { countedMetrics, keepMetrics } from './metrics.ts';
import { gauge, observedMetrics } from './observed-metrics.ts';
import { observeProcess } from './process-metrics.ts';
import { recordSpans } from './spans.ts';
import { startTraces } from './traces.ts';

export interface TelemetryOptions {
  readonly service: string;
  readonly replica: string;
  /**
   * Base URL of an OTLP/HTTP collector. Without it no span is recorded; traceparents still pass
   * through.
   */
  readonly otlpEndpoint?: string | undefined;
}

export interface Telemetry {
  readonly http: HttpObserver;
  metricsHandler(request: IncomingMessage, response: ServerResponse): void;
  /** Shows readiness as metrics until the returned function is called. */
  observeReadiness(read: () => ObservedReadiness): () => void;
  /** Sends what is queued. Never rejects and never waits for more than a few seconds. */
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface ObservedReadiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, { readonly ok: boolean }>>;
}

export const telemetryLimits = { shutdownMs: 3_000 } as const;

export function startTelemetry(options: TelemetryOptions): Telemetry {
  const resource = resourceFromAttributes({
    'service.namespace': 'compasso',
    'service.name': options.service,
    'service.instance.id': `${options.service}-${options.replica}`,
    'compasso.replica': options.replica,
    'process.pid': process.pid,
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const scrape = startMetrics(resource);
  const traces = options.otlpEndpoint ? startTraces(resource, options.otlpEndpoint) : undefined;
  return {
    http: httpObserver,
    metricsHandler: (_request, response) => void scrape.answer(response),
    observeReadiness,
    flush: () => withinDeadline(traces?.forceFlush()),
    shutdown: () => stop(traces, scrape),
  };
}

function observeReadiness(read: () => ObservedReadiness): () => void {
  const forgetReady = gauge('compasso_service_ready', () => Number(read().ready));
  const forgetChecks = gauge('compasso_readiness_check_ok', () =>
    Object.entries(read().checks).map(([check, { ok }]) => ({
      value: Number(ok),
      labels: { check },
    })),
  );
  return () => {
    forgetReady();
    forgetChecks();
  };
}

interface Scrape {
  answer(response: ServerResponse): Promise<void>;
  stop(): Promise<void>;
}

function startMetrics(resource: Resource): Scrape {
  const reader = new PrometheusExporter({
    preventServerStart: true,
    metricProducers: [countedMetrics, observedMetrics],
  });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const provider = new MeterProvider({ resource, readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  keepMetrics(true);
  const forgetProcess = observeProcess();
  return {
    async answer(response) {
      try {
        const { resourceMetrics } = await reader.collect();
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
        response.end(serializer.serialize(resourceMetrics));
      } catch {
        // A gauge whose observer throws fails the whole scrape: the monitor sees 500 and `up` falls
        // to 0.
        response.writeHead(500).end();
      }
    },
    async stop() {
      forgetProcess();
      keepMetrics(false);
      await provider.shutdown();
    },
  };
}

async function stop(traces: TracerProvider | undefined, scrape: Scrape): Promise<void> {
  recordSpans(false);
  await withinDeadline(traces?.shutdown());
  await withinDeadline(scrape.stop());
  trace.disable();
  metrics.disable();
  context.disable();
}

// A dead collector must not keep a process from exiting (field failure H-08).
async function withinDeadline(work: Promise<unknown> | undefined): Promise<void> {
  if (!work) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, telemetryLimits.shutdownMs);
    work.then(done, done);
  });
}
