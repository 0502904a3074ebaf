// The life of a service process: HTTP, probes and metrics from the start; a stop in a fixed order
// at the end.
import { createTokenVerifier } from '../auth/token-verifier.ts';
import { startManagementServer } from '../health/management-server.ts';
import { ReadinessRegistry } from '../health/readiness.ts';
import { type HttpApp, type HttpAppOptions, startHttp } from '../http/start-http.ts';
import type { ServiceLogger, ServiceTelemetry } from '../ports.ts';
import type { ProcessConfig, RuntimeConfig } from '../config/runtime-schema.ts';
import { runStopSequence, type StopStep } from './stop-sequence.ts';
import { superviseProcess, type Supervisor } from './supervise.ts';

export interface ServiceOptions extends Pick<
  HttpAppOptions,
  'module' | 'isTransient' | 'frontDoor' | 'beforeListen'
> {
  readonly name: string;
  /** Of `runtimeSchema`, or of `processSchema` for a service without callers of its own. */
  readonly config: RuntimeConfig | ProcessConfig;
  readonly logger: ServiceLogger;
  readonly telemetry: ServiceTelemetry;
  readonly readiness: ReadinessRegistry;
  /** After the intake is closed, in this order; telemetry follows by itself. */
  readonly onStop: readonly StopStep[];
}

export interface RunningService extends Supervisor {
  readonly http: HttpApp;
  readonly managementUrl: string;
}

export const stopLimits = {
  drainMs: 5_000,
  closeMs: 5_000,
  telemetryMs: 4_000,
  managementMs: 1_000,
  giveUpMs: 1_000,
} as const;

/** Starts, or logs why not and exits with 1. From here on the process belongs to its signals. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { logger, telemetry, readiness, config } = options;
  const parts: { http?: HttpApp; stopManagement?: () => Promise<void> } = {};
  const forgetReadiness = telemetry.observeReadiness(() => readiness.readiness());
  const supervisor = superviseProcess({
    logger,
    async stop() {
      readiness.stopping();
      return runStopSequence(stepsOf(options, parts, forgetReadiness), logger);
    },
    async giveUp() {
      readiness.stopping();
      readiness.registerLiveness('uncaught-error', () => ({ ok: false }));
      const flushed = {
        name: 'telemetry',
        stop: () => telemetry.shutdown(),
        deadlineMs: stopLimits.giveUpMs,
      };
      await runStopSequence([flushed], logger);
    },
  });
  const management = await startManagementServer({
    host: config.httpHost,
    port: config.managementPort,
    registry: readiness,
    telemetry,
  });
  parts.stopManagement = () => management.stop();
  const http = await startHttp({
    ...options,
    host: config.httpHost,
    port: config.httpPort,
    verifier: 'authIssuer' in config ? createTokenVerifier(config) : undefined,
  });
  parts.http = http;
  logger.info({ url: http.url, management: management.url }, `${options.name} listens`);
  return { ...supervisor, http, managementUrl: management.url };
}

function stepsOf(
  { onStop, telemetry }: ServiceOptions,
  {
    http,
    stopManagement,
  }: { readonly http?: HttpApp; readonly stopManagement?: () => Promise<void> },
  forgetReadiness: () => void,
): readonly StopStep[] {
  const steps: StopStep[] = [];
  if (http)
    steps.push({ name: 'http', stop: () => drain(http), deadlineMs: stopLimits.drainMs + 500 });
  steps.push(...onStop);
  if (http) steps.push({ name: 'nest', stop: () => http.close(), deadlineMs: stopLimits.closeMs });
  steps.push({
    name: 'telemetry',
    stop() {
      forgetReadiness();
      return telemetry.shutdown();
    },
    deadlineMs: stopLimits.telemetryMs,
  });
  if (stopManagement) {
    steps.push({ name: 'management', stop: stopManagement, deadlineMs: stopLimits.managementMs });
  }
  return steps;
}

// A client that never reads its answer must not hold up the stop: after the deadline it is cut off.
async function drain(http: HttpApp): Promise<void> {
  const cut = setTimeout(() => http.cut(), stopLimits.drainMs);
  await http.drain();
  clearTimeout(cut);
}
