// A small service for the specs of this library: real Nest, real Fastify, real sockets; logs and
// telemetry are kept in memory behind the same ports.
import { Body, Controller, Get, HttpCode, Module, Param, Post, Req } from '@nestjs/common';
import { CodedError } from '@compasso/kernel';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../auth/caller.ts';
import { CurrentCaller, Public, RawBody, RequireScope } from '../auth/decorators.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { ReadinessRegistry } from '../health/readiness.ts';
import type { ServiceLogger, ServiceTelemetry } from '../ports.ts';
import type { FrontDoor } from './front-door.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { problem } from './problem.ts';
import { rawBodyOf } from './request-state.ts';
import { type HttpApp, startHttp } from './start-http.ts';
import { validated } from './validated.ts';

const order = z.strictObject({
  amountCents: z.int().min(1).max(999_999_999_999),
  note: z.string().max(20).optional(),
  payee: z
    .strictObject({
      key: z.string().refine((key) => key !== 'wrong', { params: { code: 'check_digits' } }),
    })
    .optional(),
});

class LostConnection extends CodedError {
  constructor() {
    super('connection_lost', 'The database went away.');
  }
}

@Controller('v1')
export class OrdersController {
  @Public()
  @Post('orders')
  @HttpCode(202)
  create(
    @Body(validated(order)) body: z.output<typeof order>,
    @Req() request: FastifyRequest,
  ): object {
    return { id: idempotencyKey(request.headers), amountCents: body.amountCents };
  }

  @Public()
  @Get('orders/:id')
  find(@Param('id') id: string): object {
    if (id === 'refused') {
      throw problem(
        422,
        'insufficient_funds',
        { en: 'Too little.', 'pt-BR': 'Saldo insuficiente.' },
        { shortCents: 5 },
      );
    }
    if (id === 'lost') throw new LostConnection();
    if (id === 'broken') throw new TypeError('secret of the implementation');
    return { id };
  }

  @Public()
  @RawBody()
  @Post('webhooks')
  @HttpCode(200)
  receive(@Req() request: FastifyRequest): object {
    return { bytes: rawBodyOf(request).toString('base64') };
  }

  @RequireScope('orders:read')
  @Get('mine/:accountId')
  mine(@CurrentCaller() caller: Caller, @Param('accountId') accountId: string): object {
    caller.requireAccount(accountId);
    return { subject: caller.subject, roles: [...caller.roles] };
  }

  @Get('anyone')
  anyone(@CurrentCaller() caller: Caller): object {
    return { subject: caller.subject };
  }
}

@Module({ controllers: [OrdersController] })
export class OrdersModule {}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export class MemoryLogger implements ServiceLogger {
  readonly lines: LogLine[] = [];
  readonly debug = (): void => undefined;
  readonly info = this.#keep('info');
  readonly warn = this.#keep('warn');
  readonly error = this.#keep('error');
  readonly fatal = this.#keep('fatal');

  #keep(level: string) {
    return (fields: object, message: string): void => {
      this.lines.push({ ...fields, level, message });
    };
  }
}

export interface ObservedRequest {
  readonly method: string;
  readonly traceparent: string | undefined;
  outcome?: {
    readonly route: string | undefined;
    readonly status: number;
    readonly code?: string | undefined;
  };
}

export class MemoryTelemetry implements Pick<ServiceTelemetry, 'http'> {
  readonly requests: ObservedRequest[] = [];
  readonly http: ServiceTelemetry['http'] = {
    begin: (request) => {
      const observed: ObservedRequest = { ...request };
      this.requests.push(observed);
      return {
        traceId: 'a'.repeat(32),
        run: (work) => work(),
        end: (outcome) => void (observed.outcome = outcome),
      };
    },
  };
}

export interface HttpFixture extends HttpApp {
  readonly log: MemoryLogger;
  readonly telemetry: MemoryTelemetry;
  readonly readiness: ReadinessRegistry;
}

export async function startOrders(
  verifier?: TokenVerifier,
  frontDoor?: FrontDoor,
): Promise<HttpFixture> {
  const log = new MemoryLogger();
  const telemetry = new MemoryTelemetry();
  const readiness = new ReadinessRegistry();
  const http = await startHttp({
    module: OrdersModule,
    host: '127.0.0.1',
    port: 0,
    logger: log,
    telemetry,
    readiness,
    verifier,
    frontDoor,
    isTransient: (error) => error instanceof LostConnection,
  });
  return { ...http, log, telemetry, readiness };
}
