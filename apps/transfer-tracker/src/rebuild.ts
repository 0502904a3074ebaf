// The entry of `npm run rebuild`: the environment of a tracker process, a report on standard output, progress on standard
// error. Trackers may run meanwhile; what it tells the public leaves through their relay.
import { sourceOfService, transferStatus } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import { KafkaTransport, makeExecutor, PostgresUnitOfWork } from '@compasso/messaging';
import { createLogger } from '@compasso/observability';
import { openDatabase } from '@compasso/postgres';
import { kafkaSettingsOf, readConfig } from '@compasso/runtime/config';
import { setTimeout as pause } from 'node:timers/promises';
import { uuidv7 } from 'uuidv7';
import { trackedTopics } from './kafka/reactions.ts';
import { trackerMigrations } from './postgres/migrations.ts';
import { RebuildStore } from './postgres/rebuild-store.ts';
import { rebuildProjection, type RebuildReport } from './rebuild/rebuild-projection.ts';
import { rebuildSchema, type RebuildConfig } from './transfer-tracker.config.ts';
import { trackerRules } from './transfer-tracker.definition.ts';

const config = readConfig(rebuildSchema);
const asJson = process.argv.includes('--json');

try {
  const report = await rebuild(config);
  process.stdout.write(asJson ? `${JSON.stringify(report)}\n` : inWords(report));
} catch (error) {
  const code = error instanceof CodedError ? error.code : 'rebuild_failed';
  process.stderr.write(`rebuild: ${code}: ${error instanceof Error ? error.message : ''}\n`);
  process.exitCode = 1;
}

async function rebuild(settings: RebuildConfig): Promise<RebuildReport> {
  const logger = createLogger({ service: 'rebuild', replica: '1', level: 'silent' });
  const url = settings.databaseUrl.reveal();
  const database = await openDatabase({
    url,
    applicationName: 'transfer-tracker-rebuild',
    migrations: trackerMigrations,
    hotConnectionsMax: 4,
    readConnectionsMax: 1,
  });
  const kafka = { ...kafkaSettingsOf(settings), clientId: 'transfer-tracker-rebuild', logger };
  const transport = new KafkaTransport(kafka, () => undefined);
  const store = await RebuildStore.connect(url);
  try {
    return await rebuildProjection({
      executor: makeExecutor({
        unitOfWork: new PostgresUnitOfWork(database.hot),
        staging: {
          source: sourceOfService('transfer-tracker'),
          newId: uuidv7,
          topicOf: () => transferStatus,
        },
        pauseBeforeRetry: (attempt) => pause(50 * 2 ** attempt),
        wake: () => undefined,
      }),
      transport,
      store,
      topics: trackedTopics(settings.requestTeams),
      rules: trackerRules(settings.timeScale),
      tell: (progress) => process.stderr.write(`rebuild: ${progress}\n`),
    });
  } finally {
    await store.close();
    await transport.close();
    await database.close();
  }
}

function inWords({ projection, recordsRead, eventsFromStore, ...rest }: RebuildReport): string {
  const { comparison, republished } = rest;
  const { same, differing, onlyShown, onlyBuilt, examples } = comparison;
  return [
    `projection ${projection} is shown: ${recordsRead} records, and ${eventsFromStore} older events`,
    `compared with the one before: ${same} the same, ${differing} different, ${onlyBuilt} new, ${onlyShown} gone`,
    ...(examples.length === 0 ? [] : [`not the same: ${examples.join(', ')}`]),
    `told the public again: ${republished}`,
    '',
  ].join('\n');
}
