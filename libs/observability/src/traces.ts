// Traces over OTLP/HTTP as JSON. The queue is bounded, and what is lost is counted.
import { trace } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { counter } from './metrics.ts';
import { SpanIds } from './span-ids.ts';
import { recordSpans } from './spans.ts';

const limits = {
  queuedSpansMax: 16_384,
  exportedSpansMax: 1_024,
  // Short, because spans that are still queued die with a killed process and leave their children
  // without parent.
  exportDelayMs: 250,
  exportTimeoutMs: 2_000,
} as const;

export function startTraces(resource: Resource, endpoint: string): TracerProvider {
  const exporter = new CountingExporter(
    new OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
      timeoutMillis: limits.exportTimeoutMs,
    }),
  );
  const provider = new TracerProvider({
    resource,
    idGenerator: new SpanIds(),
    // Every service decides alike, so a trace is whole or absent. What a caller's sampled flag says
    // does not count: a stranger at the door must not be able to switch off the trace of a payment.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      endedSpans,
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: limits.queuedSpansMax,
        maxExportBatchSize: limits.exportedSpansMax,
        scheduledDelayMillis: limits.exportDelayMs,
        exportTimeoutMillis: limits.exportTimeoutMs + 500,
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  recordSpans(true);
  return provider;
}

const spans = counter('compasso_spans_total');

// What ended and was neither exported nor failed is queued, or was dropped because the queue was
// full.
const endedSpans: SpanProcessor = {
  onStart: () => undefined,
  onEnd: () => spans.add(1, { outcome: 'ended' }),
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

class CountingExporter implements SpanExporter {
  readonly #inner: SpanExporter;

  constructor(inner: SpanExporter) {
    this.#inner = inner;
  }

  export(batch: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#inner.export(batch, (result) => {
      const outcome = result.code === ExportResultCode.SUCCESS ? 'exported' : 'failed';
      spans.add(batch.length, { outcome });
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.();
  }

  async shutdown(): Promise<void> {
    await this.#inner.shutdown();
  }
}
