import 'reflect-metadata';
import { CodedError } from '@compasso/kernel';
import { createLogger, startTelemetry } from '@compasso/observability';
import { isTransientPostgres } from '@compasso/postgres';
import { readConfig, ReadinessRegistry, type RunningService, startService } from '@compasso/runtime';
import { trackerSchema } from './transfer-tracker.config.ts';
import { composeTracker } from './transfer-tracker.ts';

const name = 'transfer-tracker';
const config = readConfig(trackerSchema);
const identity = { service: name, replica: config.serviceReplica };
const telemetry = startTelemetry({ ...identity, otlpEndpoint: config.otelExporterOtlpEndpoint });
const logger = createLogger({ ...identity, level: config.logLevel });
const readiness = new ReadinessRegistry();
const stopping = new AbortController();
const running: { service?: RunningService } = {};

const tracker = await composeTracker({
  config,
  logger,
  onFatal(error) {
    if (running.service === undefined) throw error;
    running.service.fail(error);
  },
});
const { messaging } = tracker;
for (const { name: part, check } of messaging.checks) readiness.register(part, check);

const service = await startService({
  name,
  module: tracker.module,
  config,
  logger,
  telemetry,
  readiness,
  isTransient: (error) =>
    isTransientPostgres(error) ||
    (error instanceof CodedError && error.code === 'temporarily_unavailable'),
  beforeListen: (app) => void app.connectMicroservice({ strategy: messaging.strategy }),
  onStop: [
    { name: 'start', stop: () => stopping.abort(), deadlineMs: 100 },
    ...tracker.stopSteps,
  ],
});
running.service = service;
// Views are shown before the topics are there: `asOf` says how old they are.
try {
  await messaging.start(stopping.signal);
  await service.http.app.startAllMicroservices();
} catch (error) {
  // Told to stop while Kafka was still being waited for: the stop is under way and needs nothing more.
  if (!stopping.signal.aborted) throw error;
}
