// Makes the days ahead of the event log and drops those that its topics have forgotten. Every replica does it, each hour and
// so just after midnight UTC: whoever comes second finds the work done.
import { setTimeout as pause } from 'node:timers/promises';
import type { TopicDefinition } from '@compasso/contracts';
import type { Logger } from '@compasso/observability';
import type pg from 'pg';

export interface EventLogKeeper {
  stop(): Promise<void>;
}

interface Kept {
  readonly dropped: number;
  readonly unpublished: number;
  readonly stray: boolean;
}

export interface KeepingOptions {
  readonly daysKept: number;
  /** The day to begin with; the database's own, in UTC, where none is given. */
  readonly today?: string;
}

const daysAhead = 7;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const retryMs = 60_000;
const jitterMsMax = 30_000;
/** A topic is read to its end before it forgets; replay and repair get some days more. */
const marginDays = 7;

/** As long as the longest of the topics that the events go to. */
export const daysKeptFor = (topics: readonly TopicDefinition[]): number =>
  Math.ceil(Math.max(...topics.map(({ config }) => Number(config['retention.ms'] ?? 0))) / dayMs) + marginDays;

export async function keepEventLogOnce(pool: pg.Pool, { daysKept, today }: KeepingOptions): Promise<Kept> {
  const day = `coalesce($1::date, (clock_timestamp() at time zone 'UTC')::date)`;
  const { rows } = await pool.query<Kept>(`select * from keep_event_log(${day}, $2, $3)`, [today ?? null, daysAhead, daysKept]);
  return rows[0]!;
}

export function keepEventLog(pool: pg.Pool, logger: Logger, daysKept: number): EventLogKeeper {
  const stopping = new AbortController();
  const life = (async () => {
    while (!stopping.signal.aborted) {
      const waitMs = await round(pool, logger, daysKept);
      await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await life;
    },
  };
}

async function round(pool: pg.Pool, logger: Logger, daysKept: number): Promise<number> {
  try {
    const { dropped, unpublished, stray } = await keepEventLogOnce(pool, { daysKept });
    if (dropped > 0) logger.info({ dropped }, 'days of the event log were dropped');
    if (unpublished > 0) logger.error({ unpublished }, 'days of the event log are kept: some of their events were never published');
    if (stray) logger.error('events lie in the default partition of the event log: its days were not made in time');
    return hourMs - (Date.now() % hourMs) + Math.random() * jitterMsMax;
  } catch (error) {
    logger.debug({ error: String(error) }, 'the days of the event log could not be looked after; it is tried again');
    return retryMs;
  }
}
