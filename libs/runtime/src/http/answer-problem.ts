// Answers a refusal or failure, and logs it: here and nowhere else, so that each is logged exactly
// once.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceLogger } from '../ports.ts';
import { languageFrom } from './accept-language.ts';
import type { AllowedMethods } from './allowed-methods.ts';
import { type Problem, problemBody } from './problem.ts';
import { problemOf } from './problem-of.ts';
import { routeOf, stateOf } from './request-state.ts';

export interface ProblemAnswers {
  readonly logger: ServiceLogger;
  readonly isTransient: (error: unknown) => boolean;
  readonly allowedMethods: AllowedMethods;
}

export const problemMediaType = 'application/problem+json; charset=utf-8';

export function answerProblem(
  error: unknown,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  answers: ProblemAnswers,
): void {
  const refusal = problemOf(error, {
    isTransient: answers.isTransient,
    allowedMethods: () => answers.allowedMethods.of(request.url),
  });
  const state = stateOf(request);
  state.problemCode = refusal.code;
  logOnce(refusal, request, answers.logger);
  if (reply.sent || reply.raw.headersSent) return;
  const language = languageFrom(request.headers['accept-language']);
  void reply
    .code(refusal.status)
    .headers(refusal.headers)
    .header('content-type', problemMediaType)
    .header('content-language', language)
    .header('vary', 'accept-language')
    .send(JSON.stringify(problemBody(refusal, language)));
}

function logOnce(refusal: Problem, request: FastifyRequest, logger: ServiceLogger): void {
  const { exchange, caller } = stateOf(request);
  const fields = {
    code: refusal.code,
    status: refusal.status,
    method: request.method,
    route: routeOf(request) ?? 'unmatched',
    ...(caller && { caller: caller.subject }),
    ...(exchange?.traceId && { trace_id: exchange.traceId }),
  };
  if (refusal.status < 500) logger.info(fields, 'request refused');
  else logger.error({ ...fields, err: refusal.cause ?? refusal }, 'request failed');
}
