// JSON lines on standard output: ISO time, service, replica, trace and span of the active span.
// Personal data and secrets are taken out by the name of the field, at any depth; sentences and
// codes are the caller's duty.
import { isSpanContextValid, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';
import { redacted } from './redaction.ts';

export type { Logger };

export interface LoggerOptions {
  readonly service: string;
  readonly replica: string;
  readonly level: string;
  /** Standard output, when missing. */
  readonly destination?: DestinationStream;
}

export function createLogger({ service, replica, level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service, replica },
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    // The walk below has already described errors; pino's own serializer would copy every property
    // of them, and query errors carry their parameters.
    serializers: { err: (value: unknown) => value },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => redacted(fields) as Record<string, unknown>,
    },
    mixin: activeSpan,
  };
  return redactingChildren(destination ? pino(options, destination) : pino(options));
}

// The fields of a child pass by every formatter of pino, and children inherit this method.
function redactingChildren(logger: Logger): Logger {
  const { child } = logger;
  logger.child = function (this: Logger, fields, options) {
    return child.call(this, redacted(fields) as typeof fields, options);
  } as typeof child;
  return logger;
}

function activeSpan(): object {
  const active = trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? { trace_id: active.traceId, span_id: active.spanId } : {};
}
