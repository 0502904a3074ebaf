// Work that no message asked for (a request over HTTP, a timer): the same transaction, outbox and retry as a batch.
import { temporarilyUnavailable } from '../ports/database-errors.ts';
import type { RunOptions, UnitOfWork } from '../ports/unit-of-work.ts';
import { type Staging, stageEmissions } from './stage.ts';
import { together } from './together.ts';
import { WorkingSet } from './working-set.ts';

export interface Execution extends RunOptions {
  /** How often a transient failure or a conflict is tried again before the caller hears of it. */
  readonly retriesMax?: number;
  /** No try begins after this long, and none but the first, which the database bounds, goes on beyond it. */
  readonly withinMs?: number;
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

/** Who asked over HTTP is gone after ten seconds (libs/runtime): an answer must come before. */
export const executionLimits = { retriesMax: 5, withinMs: 8_000 } as const;

export function makeExecutor(parts: ExecutorParts): Executor {
  const once = async <Result>(
    work: (set: WorkingSet) => Promise<Result>,
    options: RunOptions,
  ): Promise<Result> => {
    let staged = 0;
    const result = await parts.unitOfWork.run(async (transaction) => {
      const set = new WorkingSet(transaction);
      const outcome = await work(set);
      const emissions = set.finish();
      await together([set.flush(), stageEmissions(transaction, emissions, parts.staging)]);
      staged = emissions.length;
      return outcome;
    }, options);
    if (staged > 0) parts.wake();
    return result;
  };
  return {
    async execute(work, execution = {}) {
      const { retriesMax = executionLimits.retriesMax, withinMs = executionLimits.withinMs, ...options } = execution;
      const deadline = performance.now() + withinMs;
      for (let attempt = 0; ; attempt += 1) {
        const late = attempt === 0 ? undefined : AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())));
        try {
          return await once(work, withSignal(options, late));
        } catch (error) {
          if (options.signal?.aborted) throw error;
          const meaning = late?.aborted === true ? 'transient' : parts.unitOfWork.meaningOf(error);
          if (meaning === 'permanent') throw error;
          if (attempt < retriesMax) await parts.pauseBeforeRetry(attempt);
          if (attempt >= retriesMax || performance.now() >= deadline) throw temporarilyUnavailable(error, attempt + 1);
        }
      }
    },
  };
}

const withSignal = (options: RunOptions, late: AbortSignal | undefined): RunOptions => {
  if (late === undefined) return options;
  return { signal: options.signal === undefined ? late : AbortSignal.any([options.signal, late]) };
};
