// Puts the tracker together: its database, its messaging, its HTTP module and its jobs.
import type { DynamicModule } from '@nestjs/common';
import { composeService, type ServiceMessaging } from '@compasso/messaging';
import type { Logger } from '@compasso/observability';
import { type Database, holdLease, openDatabase } from '@compasso/postgres';
import { kafkaSettingsOf, type StopStep } from '@compasso/runtime';
import type { Rules } from './domain/transfer-view.ts';
import { watchAttention } from './jobs/watch-attention.ts';
import { watchSagas } from './jobs/watch-sagas.ts';
import { CaseQueries } from './postgres/case-queries.ts';
import { trackerMigrations } from './postgres/migrations.ts';
import { SagaStatistics } from './postgres/saga-statistics.ts';
import { TransferQueries } from './postgres/transfer-queries.ts';
import type { TrackerConfig } from './transfer-tracker.config.ts';
import { trackerDefinition, trackerRules } from './transfer-tracker.definition.ts';
import { TransferTrackerModule } from './transfer-tracker.module.ts';

export interface Tracker {
  readonly module: DynamicModule;
  readonly messaging: ServiceMessaging;
  /** In the order of stopping; the database is closed last. */
  readonly stopSteps: readonly StopStep[];
}

export interface TrackerOptions {
  readonly config: TrackerConfig;
  readonly logger: Logger;
  readonly onFatal: (error: unknown) => void;
}

export async function composeTracker(options: TrackerOptions): Promise<Tracker> {
  const { config, logger, onFatal } = options;
  const database = await openDatabase({
    url: config.databaseUrl.reveal(),
    applicationName: `transfer-tracker-${config.serviceReplica}`,
    migrations: trackerMigrations,
    onConnectionError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  const rules = trackerRules(config.timeScale);
  logger.info({ patience: rules.patience }, 'how long each step is waited for');
  const messaging = composeService(
    trackerDefinition({ requestTeams: config.requestTeams, rules }),
    {
      database,
      kafka: kafkaSettingsOf(config),
      requestTeams: config.requestTeams,
      replica: config.serviceReplica,
      logger,
      onFatal,
    },
  );
  const jobs = startJobs({ ...options, database, messaging, rules });
  return {
    module: TransferTrackerModule.with({
      transfers: new TransferQueries(database.reads),
      cases: new CaseQueries(database.reads),
    }),
    messaging,
    stopSteps: [
      { name: 'jobs', stop: jobs, deadlineMs: 9_000 },
      { name: 'messaging', stop: () => messaging.stop(), deadlineMs: 15_000 },
      { name: 'database', stop: () => database.close(), deadlineMs: 5_000 },
    ],
  };
}

interface JobParts extends TrackerOptions {
  readonly database: Database;
  readonly messaging: ServiceMessaging;
  readonly rules: Rules;
}

/** Returns how to stop them. */
function startJobs({ config, logger, database, messaging, rules }: JobParts): () => Promise<void> {
  // One replica looks at the clock for all; two would only do the same work twice.
  const lease = holdLease({
    url: database.url,
    name: 'attention:transfer-tracker',
    onChange: (isLeader) => logger.info({ isLeader }, 'attention leadership changed'),
    onError: (error) => logger.debug({ error: String(error) }, 'the attention lease is sought again'),
  });
  const attention = watchAttention({
    ...messaging,
    requestTeams: config.requestTeams,
    rules,
    isLeader: () => lease.isLeader(),
    onError: (error) => logger.warn({ err: error }, 'attention could not be judged; trying again'),
  });
  const sagas = watchSagas({
    statistics: new SagaStatistics(database.reads),
    onError: (error) => logger.warn({ err: error }, 'sagas could not be counted; trying again'),
  });
  return async () => {
    await Promise.all([attention.stop(), sagas.stop()]);
    await lease.stop();
  };
}
