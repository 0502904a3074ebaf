// Proof that does not fit the books. Until conflicts are booked to suspense with a case, nothing is
// settled or released on it: it is told here, as a broken rule that pages and one error in the log.
// What this process remembers ends with it; the gateway's event stays on its topic and in its
// tables.
import { gauge, type Logger } from '@compasso/observability';
import type { Contradiction } from './domain/transfer.ts';

export interface Contradictions {
  /** Harmless to say again: a transaction may be tried several times. */
  report(rule: Contradiction, transferId: string): void;
  stop(): void;
}

const rememberedMax = 10_000;

export function watchContradictions(logger: Logger): Contradictions {
  const seen = new Map<Contradiction, Set<string>>();
  const forget = gauge('compasso_books_violations', () =>
    [...seen].map(([rule, transferIds]) => ({ value: transferIds.size, labels: { rule } })),
  );
  return {
    report(rule, transferId) {
      const transferIds = seen.get(rule) ?? new Set();
      seen.set(rule, transferIds);
      if (transferIds.has(transferId) || transferIds.size >= rememberedMax) return;
      transferIds.add(transferId);
      logger.error({ rule, transferId }, 'proof contradicts the books; nothing was moved');
    },
    stop: forget,
  };
}
