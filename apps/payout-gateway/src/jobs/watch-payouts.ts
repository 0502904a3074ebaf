// Keeps the gauges: counts are read now and then, and a scrape shows what was read last. A probe never opens a connection.
import { setTimeout as pause } from 'node:timers/promises';
import { gauge, type Logger } from '@compasso/observability';
import type { OpenPayouts, PayoutQueries } from '../postgres/payout-queries.ts';

const everyMs = 5_000;

const statuses = ['queued', 'cancelled', 'sending', 'submitted', 'unknown', 'review'] as const;

export interface Watch {
  stop(): Promise<void>;
}

export function watchPayouts({ queries, logger }: { queries: PayoutQueries; logger: Logger }): Watch {
  const stopping = new AbortController();
  let seen: OpenPayouts | undefined;
  gauge('compasso_payouts_open', () =>
    seen === undefined
      ? []
      : statuses.map((status) => ({ value: seen?.byState[status] ?? 0, labels: { status } })),
  );
  gauge('compasso_payouts_in_review', () => seen && (seen.byState['review'] ?? 0));
  gauge('compasso_payouts_oldest_unknown_age_seconds', () => seen?.oldestUnknownSeconds);
  gauge('compasso_payees_unreadable', () => seen?.unreadablePayees);

  const look = async (): Promise<void> => {
    try {
      const before = seen?.unreadablePayees ?? 0;
      seen = await queries.open();
      if (seen.unreadablePayees > before) {
        logger.error({ payouts: seen.unreadablePayees }, 'payouts wait because their payee cannot be opened');
      }
    } catch (error) {
      // The gauges keep their last value; the database's own checks say that it is away.
      logger.debug({ err: error }, 'open payouts could not be counted');
    }
  };
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
