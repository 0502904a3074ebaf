// Puts the ledger together: its database, its messaging, its HTTP module and its jobs.
import type { DynamicModule } from '@nestjs/common';
import { CodedError } from '@compasso/kernel';
import { composeService, type ServiceMessaging } from '@compasso/messaging';
import type { Logger } from '@compasso/observability';
import { isTransientPostgres, openDatabase } from '@compasso/postgres';
import { kafkaSettingsOf, type StopStep } from '@compasso/runtime';
import { uuidv7 } from 'uuidv7';
import { type Contradictions, watchContradictions } from './contradictions.ts';
import { fingerprintsWith } from './fingerprint.ts';
import { decideTogether } from './http/decide-together.ts';
import { payeeSealer } from './http/payee-sealer.ts';
import { watchBooks } from './jobs/watch-books.ts';
import { type LedgerConfig, policyOf, teamsOf } from './ledger.config.ts';
import { ledgerDefinition } from './ledger.definition.ts';
import { LedgerModule } from './ledger.module.ts';
import { BooksQueries } from './postgres/books-queries.ts';
import { LedgerQueries } from './postgres/ledger-queries.ts';
import { ledgerMigrations } from './postgres/migrations.ts';

export interface Ledger {
  readonly module: DynamicModule;
  readonly messaging: ServiceMessaging;
  /** In the order of stopping; the database is closed last. */
  readonly stopSteps: readonly StopStep[];
}

/** What passes by itself, and is answered 503 instead of 500. */
export const isTransient = (error: unknown): boolean =>
  isTransientPostgres(error) ||
  (error instanceof CodedError && error.code === 'temporarily_unavailable');

export interface LedgerOptions {
  readonly config: LedgerConfig;
  readonly logger: Logger;
  readonly onFatal: (error: unknown) => void;
}

export async function composeLedger({ config, logger, onFatal }: LedgerOptions): Promise<Ledger> {
  const sealer = payeeSealer(config.payeeJwksFile);
  const database = await openDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: `ledger-${config.serviceReplica}`,
    migrations: ledgerMigrations,
    onConnectionError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  const contradictions = watchContradictions(logger);
  const { desk, fingerprints, definition } = decisionsOf(config, contradictions);
  const messaging = composeService(definition, {
    database,
    kafka: kafkaSettingsOf(config),
    requestTeams: config.requestTeams,
    replica: config.serviceReplica,
    logger,
    onFatal,
  });
  const books = new BooksQueries(database.reads);
  const queries = new LedgerQueries(database.reads);
  const watch = watchBooks({ queries: books, logger });
  const decide = decideTogether(messaging.executor, desk);
  return {
    module: LedgerModule.with({ decide, fingerprints, sealer, queries, books }),
    messaging,
    stopSteps: [
      { name: 'messaging', stop: () => messaging.stop(), deadlineMs: 15_000 },
      { name: 'jobs', stop: () => watch.stop(), deadlineMs: 9_000 },
      { name: 'contradictions', stop: contradictions.stop, deadlineMs: 100 },
      { name: 'database', stop: () => database.close(), deadlineMs: 5_000 },
    ],
  };
}

/** How this ledger decides, whichever process of it asks. */
export function decisionsOf(config: LedgerConfig, contradictions: Pick<Contradictions, 'report'>) {
  const fingerprintKey = Buffer.from(config.payeeFingerprintKeyFile.reveal(), 'base64url');
  const fingerprints = fingerprintsWith(fingerprintKey);
  const desk = { ...policyOf(config), newId: uuidv7, onContradiction: contradictions.report };
  return { desk, fingerprints, definition: ledgerDefinition({ ...desk, teams: teamsOf(config), fingerprints }) };
}
