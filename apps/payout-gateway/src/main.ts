import 'reflect-metadata';
import { createLogger, startTelemetry } from '@compasso/observability';
import { readConfig, ReadinessRegistry, type RunningService, startService } from '@compasso/runtime';
import { gatewaySchema } from './payout-gateway.config.ts';
import { composeGateway, isTransient } from './payout-gateway.ts';
import { wakeAfterBatches } from './kafka/wake-after-batches.ts';

const name = 'payout-gateway';
const config = readConfig(gatewaySchema);
const identity = { service: name, replica: config.serviceReplica };
const telemetry = startTelemetry({ ...identity, otlpEndpoint: config.otelExporterOtlpEndpoint });
const logger = createLogger({ ...identity, level: config.logLevel });
const readiness = new ReadinessRegistry();
const stopping = new AbortController();
let service: RunningService | undefined;

const gateway = await composeGateway({
  config,
  logger,
  onFatal(error) {
    if (service === undefined) throw error;
    service.fail(error);
  },
});
const { messaging, worker } = gateway;
for (const { name: part, check } of gateway.checks) readiness.register(part, check);
wakeAfterBatches(messaging.strategy, () => worker.wake());

service = await startService({
  name,
  module: gateway.module,
  config,
  logger,
  telemetry,
  readiness,
  isTransient,
  beforeListen: (app) => void app.connectMicroservice({ strategy: messaging.strategy }),
  onStop: [{ name: 'start', stop: () => stopping.abort(), deadlineMs: 100 }, ...gateway.stopSteps],
});
// What is in the queue needs no Kafka: payouts go out, and their events wait in the outbox.
worker.start();
try {
  await messaging.start(stopping.signal);
  await service.http.app.startAllMicroservices();
} catch (error) {
  // Told to stop while Kafka was still being waited for: the stop is under way and needs nothing more.
  if (!stopping.signal.aborted) throw error;
}
