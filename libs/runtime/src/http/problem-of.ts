// Turns whatever was thrown into the problem to answer. Total: what nobody knows is
// `internal_error`, without any inner text.
import { HttpException } from '@nestjs/common';
import { Problem } from './problem.ts';
import {
  standardProblem,
  type StandardProblemCode,
  temporarilyUnavailable,
} from './standard-problems.ts';

export interface ProblemContext {
  /** Whether a failure passes by itself, such as a lost database connection. */
  readonly isTransient: (error: unknown) => boolean;
  /** The methods that the path of the request offers; none for an unknown path. */
  readonly allowedMethods: () => readonly string[];
}

export function problemOf(error: unknown, context: ProblemContext): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof HttpException) return ofHttpException(error, context);
  const known = ofFastifyCode(error);
  if (known) return known;
  if (context.isTransient(error)) return temporarilyUnavailable(error);
  return standardProblem('internal_error', { cause: error });
}

const byFastifyCode: Readonly<Record<string, StandardProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'body_missing',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'body_incomplete',
  FST_ERR_BAD_URL: 'malformed_url',
  FST_ERR_MAX_PARAM_LENGTH: 'malformed_url',
};

const byStatus: Readonly<Record<number, StandardProblemCode>> = {
  400: 'bad_request',
  404: 'not_found',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'malformed_url',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
};

// Nest wraps the refusals of Fastify, and throws its own for a path that no route matches.
function ofHttpException(error: HttpException, context: ProblemContext): Problem {
  const known = ofFastifyCode(error.cause);
  if (known) return known;
  const status = error.getStatus();
  if (status === 404) return ofUnknownPath(context.allowedMethods());
  if (status >= 500) return standardProblem('internal_error', { cause: error });
  return standardProblem(byStatus[status] ?? 'bad_request');
}

function ofUnknownPath(allowed: readonly string[]): Problem {
  if (allowed.length === 0) return standardProblem('not_found');
  return standardProblem('method_not_allowed', { headers: { allow: allowed.join(', ') } });
}

function ofFastifyCode(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof code !== 'string' || !code.startsWith('FST_ERR_')) return undefined;
  const known = byFastifyCode[code];
  if (known) return standardProblem(known);
  const refused = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return refused ? standardProblem(byStatus[statusCode] ?? 'bad_request') : undefined;
}
