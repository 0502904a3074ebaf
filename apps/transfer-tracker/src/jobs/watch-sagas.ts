// What is open, and how old: looked at from time to time and shown as metrics. Scrapes read memory, never a connection.
import { gauge } from '@compasso/observability';
import type { OpenSagas, SagaStatistics } from '../postgres/saga-statistics.ts';
import { repeat, type Repeating } from './repeat.ts';

export interface SagaWatchOptions {
  readonly statistics: Pick<SagaStatistics, 'openSagas' | 'readingAges'>;
  readonly onError: (error: unknown) => void;
}

const everyMs = 10_000;

export function watchSagas({ statistics, onError }: SagaWatchOptions): Repeating {
  let open: OpenSagas | undefined;
  let ages: ReadonlyMap<string, number> = new Map();
  const forget = [
    gauge('compasso_sagas', () =>
      countsOf(open?.byState, (state) => ({ state })),
    ),
    gauge('compasso_sagas_by_attention', () =>
      countsOf(open?.byAttention, (attention) => ({ attention })),
    ),
    gauge('compasso_sagas_oldest_open_age_seconds', () => open?.oldestAgeSeconds),
    gauge('compasso_projection_as_of_age_seconds', () =>
      [...ages].map(([topic, value]) => ({ value, labels: { topic } })),
    ),
  ];
  const look = async (): Promise<void> => {
    open = await statistics.openSagas();
    ages = await statistics.readingAges();
  };
  const repeating = repeat(look, { everyMs, onError });
  return {
    async stop() {
      await repeating.stop();
      for (const one of forget) one();
    },
  };
}

const countsOf = <Labels>(
  counts: ReadonlyMap<string, number> | undefined,
  labels: (word: string) => Labels,
) => [...(counts ?? [])].map(([word, value]) => ({ value, labels: labels(word) }));
