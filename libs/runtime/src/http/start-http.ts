// Puts a Nest module on Fastify with everything that the public ports of our services have alike.
import { type RequestListener, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ScopeGuard } from '../auth/scope.guard.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { healthAnswer, healthPaths, isHealthPath } from '../health/health-answer.ts';
import type { ReadinessRegistry } from '../health/readiness.ts';
import type { ServiceLogger, ServiceTelemetry } from '../ports.ts';
import { AllowedMethods } from './allowed-methods.ts';
import { answerProblem, type ProblemAnswers, problemMediaType } from './answer-problem.ts';
import { useStrictBodies } from './body-parser.ts';
import { type Draining, drainingOf } from './draining.ts';
import { type FrontDoor, serverOf } from './front-door.ts';
import { NestLogger } from './nest-logger.ts';
import { beginExchange, endExchange, observeRequests } from './observation.ts';
import { problemBody } from './problem.ts';
import { ProblemFilter } from './problem.filter.ts';
import {
  standardProblem,
  type StandardProblemCode,
  temporarilyUnavailable,
} from './standard-problems.ts';

export interface HttpAppOptions {
  readonly module: Type | DynamicModule;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: ServiceLogger;
  readonly telemetry: Pick<ServiceTelemetry, 'http'>;
  readonly readiness: ReadinessRegistry;
  /** Without one, only `@Public()` routes answer. */
  readonly verifier?: TokenVerifier | undefined;
  /** Which failures pass by themselves: they are answered 503 with Retry-After instead of 500. */
  readonly isTransient?: ((error: unknown) => boolean) | undefined;
  /** Answers what it wants before Fastify does. */
  readonly frontDoor?: FrontDoor | undefined;
  /** The last word before the port opens: connect transports, add raw Fastify routes. */
  readonly beforeListen?: ((app: NestFastifyApplication) => void | Promise<void>) | undefined;
}

export interface HttpApp extends Draining {
  readonly app: NestFastifyApplication;
  readonly url: string;
  close(): Promise<void>;
}

export const httpLimits = {
  bodyBytesMax: 64 * 1_024,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 65_000,
  parameterLengthMax: 200,
} as const;

const serverLimits = {
  requestTimeout: httpLimits.requestTimeoutMs,
  keepAliveTimeout: httpLimits.keepAliveTimeoutMs,
} as const;

export async function startHttp(options: HttpAppOptions): Promise<HttpApp> {
  // The adapter needs its error answers before it exists, and they need its routes.
  const late: { answers?: ProblemAnswers } = {};
  const adapter = new FastifyAdapter({
    bodyLimit: httpLimits.bodyBytesMax,
    serverFactory: (handler: RequestListener) => serverOf(handler, serverLimits, frontDoorOf(options)),
    routerOptions: { maxParamLength: httpLimits.parameterLengthMax },
    return503OnClosing: false,
    logger: false,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // The router refused it before any hook, so it is observed here.
      beginExchange(request, options.telemetry);
      if (late.answers) answerProblem(error, { request, reply }, late.answers);
      endExchange(request, reply.statusCode);
    },
    clientErrorHandler: (error: Error, socket: Socket) =>
      refuseUnreadable(error, socket, options.logger),
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const answers: ProblemAnswers = {
    logger: options.logger,
    isTransient: options.isTransient ?? (() => false),
    allowedMethods: new AllowedMethods(fastify),
  };
  late.answers = answers;
  prepareFastify(fastify, options);
  const app = await NestFactory.create<NestFastifyApplication>(options.module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(options.logger),
  });
  app.useGlobalFilters(new ProblemFilter(answers));
  app.useGlobalGuards(new ScopeGuard(options.verifier));
  const draining = drainingOf(fastify.server);
  await options.beforeListen?.(app);
  await app.listen(options.port, options.host);
  return { app, url: await app.getUrl(), ...draining, close: () => app.close() };
}

function frontDoorOf({ frontDoor: door, telemetry, readiness }: HttpAppOptions) {
  return door && { door, telemetry, readiness };
}

function prepareFastify(fastify: FastifyInstance, { telemetry, readiness }: HttpAppOptions): void {
  fastify.decorateRequest('compasso', undefined);
  observeRequests(fastify, telemetry);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (!readiness.isStopping || isHealthPath(request.url)) {
      done();
      return;
    }
    reply.header('connection', 'close');
    done(temporarilyUnavailable());
  });
  // Answers under way when the stop begins are the last of their connection: an idle one would hold
  // the port.
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (readiness.isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  useStrictBodies(fastify);
  for (const path of healthPaths) {
    fastify.get(path, (_request, reply) => {
      const answer = healthAnswer(path, readiness);
      void reply
        .code(answer?.status ?? 503)
        .type('application/json')
        .send(answer?.body);
    });
  }
}

const byClientErrorCode: Readonly<Record<string, StandardProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

// What Node's parser could not read never becomes a request, so neither hooks nor filters see it.
function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  logger: ServiceLogger,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = standardProblem(byClientErrorCode[error.code ?? ''] ?? 'bad_request');
  logger.info(
    { code: refusal.code, status: refusal.status, route: 'unreadable' },
    'request refused',
  );
  const body = JSON.stringify(problemBody(refusal, 'en'));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nConnection: close\r\n` +
      `Content-Type: ${problemMediaType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
