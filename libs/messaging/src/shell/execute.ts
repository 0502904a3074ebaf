// Work that no message asked for (a request over HTTP, a timer): the same transaction, outbox and retry as a batch.
import { CodedError } from '@compasso/kernel';
import type { RunOptions, UnitOfWork } from '../ports/unit-of-work.ts';
import { type Staging, stageEmissions } from './stage.ts';
import { WorkingSet } from './working-set.ts';

export interface Execution extends RunOptions {
  /** How often a transient failure or a conflict is tried again before the caller hears of it. */
  readonly retriesMax?: number;
}

export interface Executor {
  /** Commits what `work` changed and emitted, or nothing. Retries transient failures and conflicts, re-reading everything. */
  execute<Result>(work: (set: WorkingSet) => Promise<Result>, execution?: Execution): Promise<Result>;
}

export interface ExecutorParts {
  readonly unitOfWork: UnitOfWork;
  readonly staging: Staging;
  /** Waits before retry 1, 2, 3 …; the simulation hands in virtual time. */
  readonly pauseBeforeRetry: (attempt: number) => Promise<void>;
  /** Told after a commit that staged events, so that the relay need not wait for its poll. */
  readonly wake: () => void;
}

const retriesMaxDefault = 5;

export function makeExecutor(parts: ExecutorParts): Executor {
  const once = async <Result>(
    work: (set: WorkingSet) => Promise<Result>,
    options: RunOptions,
  ): Promise<Result> => {
    let staged = 0;
    const result = await parts.unitOfWork.run(async (transaction) => {
      const set = new WorkingSet(transaction);
      const outcome = await work(set);
      await set.flush();
      staged = await stageEmissions(transaction, set.emissions, parts.staging);
      return outcome;
    }, options);
    if (staged > 0) parts.wake();
    return result;
  };
  return {
    async execute(work, execution = {}) {
      const { retriesMax = retriesMaxDefault, ...options } = execution;
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await once(work, options);
        } catch (error) {
          const meaning = parts.unitOfWork.meaningOf(error);
          if (meaning === 'permanent' || options.signal?.aborted) throw error;
          if (attempt >= retriesMax) {
            throw new CodedError(
              'temporarily_unavailable',
              'The database did not let this through in time.',
              { attempt },
              { cause: error },
            );
          }
          await parts.pauseBeforeRetry(attempt);
        }
      }
    },
  };
}
