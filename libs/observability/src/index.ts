export {
  type HttpExchange,
  httpObserver,
  type HttpObserver,
  type HttpOutcome,
} from './http-observer.ts';
export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export {
  type LabelsOf,
  type MetricDefinition,
  metricDefinitions,
  type MetricName,
  type MetricNameOf,
} from './metric-names.ts';
export { type Counter, counter, type Histogram, histogram } from './metrics.ts';
export { gauge, type Observation, type Observe, observedCounter } from './observed-metrics.ts';
export { isRedactedName, redacted, redactedNames } from './redaction.ts';
export {
  httpMethods,
  messagingOperations,
  plainSpanNames,
  providerOperations,
  type SpanName,
} from './span-names.ts';
export {
  currentTraceId,
  currentTraceparent,
  spanFrom,
  type SpanHandle,
  type SpanOptions,
  type SpanRole,
} from './spans.ts';
export {
  type ObservedReadiness,
  startTelemetry,
  type Telemetry,
  telemetryLimits,
  type TelemetryOptions,
} from './telemetry.ts';
