import type { LoggerService } from '@nestjs/common';
import type { ServiceLogger } from '../ports.ts';

/** Nest's own lines in our format. Its start-up chatter (one line per route) is for debugging. */
export class NestLogger implements LoggerService {
  readonly #logger: ServiceLogger;

  constructor(logger: ServiceLogger) {
    this.#logger = logger;
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.#logger.debug(fieldsOf(message, rest), sentence(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#logger.debug(fieldsOf(message, rest), sentence(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#logger.debug(fieldsOf(message, rest), sentence(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#logger.warn(fieldsOf(message, rest), sentence(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#logger.error(fieldsOf(message, rest), sentence(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#logger.fatal(fieldsOf(message, rest), sentence(message));
  }
}

/** Nest passes the name of the speaking class last. */
const fieldsOf = (message: unknown, rest: readonly unknown[]): object => ({
  ...(message instanceof Error && { err: message }),
  ...(typeof rest.at(-1) === 'string' && { context: rest.at(-1) }),
});

const sentence = (message: unknown): string => (typeof message === 'string' ? message : 'nest');
