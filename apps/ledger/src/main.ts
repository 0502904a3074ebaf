import 'reflect-metadata';
import { createLogger, startTelemetry } from '@compasso/observability';
import {
  readConfig,
  ReadinessRegistry,
  type RunningService,
  startService,
} from '@compasso/runtime';
import { ledgerSchema } from './ledger.config.ts';
import { composeLedger, isTransient } from './ledger.ts';

const name = 'ledger';
const config = readConfig(ledgerSchema);
const identity = { service: name, replica: config.serviceReplica };
const telemetry = startTelemetry({ ...identity, otlpEndpoint: config.otelExporterOtlpEndpoint });
const logger = createLogger({ ...identity, level: config.logLevel });
const readiness = new ReadinessRegistry();
const stopping = new AbortController();
const running: { service?: RunningService } = {};

const ledger = await composeLedger({
  config,
  logger,
  onFatal(error) {
    if (running.service === undefined) throw error;
    running.service.fail(error);
  },
});
const { messaging } = ledger;
for (const { name: part, check } of messaging.checks) readiness.register(part, check);

const service = await startService({
  name,
  module: ledger.module,
  config,
  logger,
  telemetry,
  readiness,
  isTransient,
  beforeListen: (app) => void app.connectMicroservice({ strategy: messaging.strategy }),
  onStop: [{ name: 'start', stop: () => stopping.abort(), deadlineMs: 100 }, ...ledger.stopSteps],
});
running.service = service;
// The door is open before the topics are: a request is decided and waits in the outbox.
try {
  await messaging.start(stopping.signal);
  await service.http.app.startAllMicroservices();
} catch (error) {
  // Told to stop while Kafka was still being waited for: the stop is under way and needs nothing
  // more.
  if (!stopping.signal.aborted) throw error;
}
