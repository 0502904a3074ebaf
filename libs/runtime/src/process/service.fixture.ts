// A service process for start-service.int.spec.ts: it says on standard output what happens, as JSON
// lines. MODE chooses what goes wrong.
import { z } from 'zod';
import { readConfig } from '../config/read-config.ts';
import { processSchema } from '../config/runtime-schema.ts';
import { oneOf } from '../config/variables.ts';
import { ReadinessRegistry } from '../health/readiness.ts';
import type { ServiceLogger, ServiceTelemetry } from '../ports.ts';
import { startService } from './start-service.ts';

const config = readConfig(
  processSchema.extend({
    mode: oneOf(['well', 'stuck', 'failing'], { default: 'well' }),
    accounts: z.string().optional(),
  }),
);

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const speak =
  (level: string) =>
  (fields: object, message: string): void =>
    say({ level, message, ...fields });
const logger: ServiceLogger = {
  debug: () => undefined,
  info: speak('info'),
  warn: speak('warn'),
  error: speak('error'),
  fatal: speak('fatal'),
};
const telemetry: ServiceTelemetry = {
  http: { begin: () => ({ traceId: undefined, run: (work) => work(), end: () => undefined }) },
  metricsHandler: (_request, response) => void response.end('metric 1\n'),
  observeReadiness: () => () => undefined,
  async shutdown() {
    say({ event: 'telemetry' });
  },
};
const readiness = new ReadinessRegistry();
readiness.register('database', () => ({ ok: true }));

class Nothing {}
const never = new Promise<void>(() => undefined);

const service = await startService({
  name: 'fixture',
  module: { module: Nothing },
  config,
  logger,
  telemetry,
  readiness,
  onStop: [
    {
      name: 'consumers',
      stop: () => stopConsumers(),
      deadlineMs: config.mode === 'stuck' ? 60_000 : 200,
    },
    { name: 'database', stop: () => say({ event: 'database' }), deadlineMs: 1_000 },
  ],
  beforeListen(app) {
    const fastify = app.getHttpAdapter().getInstance();
    // Answered only once the stop has begun: a request under way.
    fastify.get('/slow', (_request: unknown, reply: { send(body: object): void }) => {
      process.once('SIGTERM', () => setImmediate(() => reply.send({ answered: true })));
      say({ event: 'slow begun' });
    });
    fastify.get('/reject', async () => void Promise.reject(new RangeError('nobody waits')));
    fastify.get(
      '/throw',
      async () =>
        void setImmediate(() => {
          throw new RangeError('nobody catches');
        }),
    );
  },
});
say({ event: 'listening', url: service.http.url, management: service.managementUrl });

function stopConsumers(): void | Promise<void> {
  say({ event: 'consumers', readyWas: readiness.readiness().ready });
  if (config.mode === 'stuck') return never;
  if (config.mode === 'failing') throw new RangeError('cannot stop');
}
