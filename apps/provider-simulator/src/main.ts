import 'reflect-metadata';
import { type Clock, instantOf } from '@compasso/kernel';
import { createLogger, startTelemetry } from '@compasso/observability';
import { readConfig, ReadinessRegistry, startService } from '@compasso/runtime';
import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import { simulatorSchema } from './simulator.config.ts';
import { SimulatorModule } from './simulator.module.ts';
import { composeSimulator } from './simulator.ts';

const name = 'provider-simulator';
const config = readConfig(simulatorSchema);
const identity = { service: name, replica: config.serviceReplica };
const telemetry = startTelemetry({ ...identity, otlpEndpoint: config.otelExporterOtlpEndpoint });
const logger = createLogger({ ...identity, level: config.logLevel });
const clock: Clock = { now: () => instantOf(Date.now()), monotonic: () => performance.now() };

const simulator = composeSimulator({ config, clock, newId: randomUUID, logger });
const readiness = new ReadinessRegistry();
for (const [part, check] of Object.entries(simulator.checks)) readiness.register(part, check);

// Before the intake drains: a call that is kept silent would hold the drain until its deadline.
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => simulator.breakSilence());

await startService({
  name,
  module: SimulatorModule,
  config,
  logger,
  telemetry,
  readiness,
  frontDoor: simulator.frontDoor,
  beforeListen: (app) => simulator.addRoutes(app.getHttpAdapter().getInstance() as FastifyInstance),
  onStop: [
    { name: 'jobs', stop: () => simulator.stopJobs(), deadlineMs: 7_000 },
    { name: 'store', stop: () => simulator.closeStore(), deadlineMs: 2_000 },
  ],
});
simulator.start();
