// Signals and last resorts of a process: a first SIGTERM or SIGINT stops in order, a second one at
// once, and an error that nobody caught ends the process, because nobody knows what state it left
// (field failure A-09).
import type { ServiceLogger } from '../ports.ts';

export interface Supervision {
  readonly logger: ServiceLogger;
  /** Stops in order; tells whether everything ended in time. */
  stop(): Promise<boolean>;
  /** Says from now on that this process is ill, and sends off the last spans, briefly. */
  giveUp(): Promise<void>;
}

export const exitCodes = { clean: 0, failed: 1, forced: 2 } as const;

export interface Supervisor {
  /** The same as a signal. */
  stop(reason: string): void;
  /** The same as an uncaught error: for broken invariants. */
  fail(error: unknown): void;
}

export function superviseProcess({ logger, stop, giveUp }: Supervision): Supervisor {
  let stopping = false;
  let failing = false;
  const onStop = (reason: string): void => {
    if (stopping) {
      logger.fatal({ reason }, 'told to stop a second time: leaving at once');
      process.exit(exitCodes.forced);
    }
    stopping = true;
    logger.info({ reason }, 'stopping');
    void stop().then((clean) => {
      logger.info({ clean }, 'stopped');
      process.exit(clean ? exitCodes.clean : exitCodes.failed);
    }, fail);
  };
  function fail(error: unknown): void {
    logger.fatal({ err: error }, 'an error that nobody caught: leaving');
    if (failing) process.exit(exitCodes.failed);
    failing = true;
    const leave = (): never => process.exit(exitCodes.failed);
    void giveUp().then(leave, leave);
  }
  process.on('SIGTERM', () => onStop('SIGTERM'));
  process.on('SIGINT', () => onStop('SIGINT'));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return { stop: onStop, fail };
}
