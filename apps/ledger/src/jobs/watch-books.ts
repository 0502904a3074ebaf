// Looks at the books from time to time and shows what it saw as metrics: probes and scrapes read
// memory, never a connection.
import { gauge, type Logger } from '@compasso/observability';
import type { BooksQueries, OpenHolds, Violation } from '../postgres/books-queries.ts';
import { booksRuleNames } from '../postgres/books-rules.ts';

export interface BooksWatch {
  /** One look at everything; also what the timer does. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

export interface BooksWatchOptions {
  readonly queries: Pick<BooksQueries, 'books' | 'openHolds'>;
  readonly logger: Logger;
  readonly policy?: typeof watchPolicy;
}

/**
 * A look at the whole journal reads all of it, so it is taken less often than the look at what is
 * open.
 */
export const watchPolicy = { openHoldsEveryMs: 10_000, booksEveryLooks: 12 } as const;

export function watchBooks({
  queries,
  logger,
  policy = watchPolicy,
}: BooksWatchOptions): BooksWatch {
  let holds: OpenHolds | undefined;
  let violations: readonly Violation[] | undefined;
  let looks = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  const forget = [
    gauge('compasso_holds_open', () => holds?.count),
    gauge('compasso_holds_oldest_age_seconds', () => holds?.oldestAgeSeconds),
    gauge('compasso_books_violations', () =>
      violations === undefined ? [] : booksRuleNames.map((rule) => countOf(rule, violations!)),
    ),
  ];
  const look = async (): Promise<void> => {
    try {
      holds = await queries.openHolds();
      if (looks % policy.booksEveryLooks === 0) {
        violations = (await queries.books()).violations;
        if (violations.length > 0) logger.error({ violations }, 'the books break their own rules');
      }
      looks += 1;
    } catch (error) {
      logger.warn({ err: error }, 'the books could not be looked at; the last look is still shown');
    }
  };
  const again = (): void => {
    if (stopped) return;
    timer = setTimeout(() => (turn = look().finally(again)), policy.openHoldsEveryMs);
  };
  again();
  return {
    look,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
      for (const one of forget) one();
    },
  };
}

const countOf = (rule: string, violations: readonly Violation[]) => ({
  value: violations.find((violation) => violation.rule === rule)?.count ?? 0,
  labels: { rule },
});
