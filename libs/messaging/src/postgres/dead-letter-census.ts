// What waits for a person, counted now and then for the metrics: a scrape never waits for the database.
import { setTimeout as pause } from 'node:timers/promises';
import { gauge } from '@compasso/observability';
import type pg from 'pg';

export interface MessagingCensus {
  stop(): Promise<void>;
}

interface Waiting {
  readonly topic: string;
  readonly state: 'open' | 'parked';
  readonly count: number;
}

const intervalMs = 10_000;
const countWaiting = `
  select topic, state, count(*)::integer as count from dead_letter where state in ('open', 'parked') group by topic, state
`;

export function takeCensus(pool: pg.Pool): MessagingCensus {
  let waiting: readonly Waiting[] = [];
  const stopping = new AbortController();
  const seen = (state: Waiting['state']) => () =>
    waiting.filter((row) => row.state === state).map(({ topic, count }) => ({ value: count, labels: { topic } }));
  const forget = [gauge('compasso_dead_letters_open', seen('open')), gauge('compasso_messages_parked', seen('parked'))];
  const life = (async () => {
    while (!stopping.signal.aborted) {
      // The last count stands while the database is away; readiness tells of that.
      waiting = await pool.query<Waiting>(countWaiting).then(({ rows }) => rows, () => waiting);
      await pause(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      for (const each of forget) each();
      await life;
    },
  };
}
