// One owner runs the stop, step after step, each with a deadline: hooks of a framework run by
// phase, and close the database while messages are still handled (field failure B-08).
import type { ServiceLogger } from '../ports.ts';

export interface StopStep {
  readonly name: string;
  stop(): void | Promise<void>;
  readonly deadlineMs: number;
}

/**
 * Runs every step, whatever happens to the ones before. True when all ended in time and without
 * error.
 */
export async function runStopSequence(
  steps: readonly StopStep[],
  logger: ServiceLogger,
): Promise<boolean> {
  let clean = true;
  for (const step of steps) {
    const startedAt = performance.now();
    const outcome = await runStep(step);
    const fields = { step: step.name, milliseconds: Math.round(performance.now() - startedAt) };
    if (outcome.ended === 'in time') {
      logger.debug(fields, 'stopped a part');
      continue;
    }
    clean = false;
    if (outcome.ended === 'failed')
      logger.error({ ...fields, err: outcome.error }, 'a part failed to stop');
    else logger.error(fields, 'a part did not stop in time');
  }
  return clean;
}

type Outcome = { ended: 'in time' } | { ended: 'too late' } | { ended: 'failed'; error: unknown };

async function runStep({ stop, deadlineMs }: StopStep): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Outcome>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, { ended: 'too late' });
  });
  const stopped = Promise.resolve()
    .then(stop)
    .then(
      (): Outcome => ({ ended: 'in time' }),
      (error: unknown): Outcome => ({ ended: 'failed', error }),
    );
  const outcome = await Promise.race([stopped, tooLate]);
  clearTimeout(timer);
  return outcome;
}
