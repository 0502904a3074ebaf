// `npm run rebuild`: folds all sagas again beside the ones that are shown, and shows the new ones. Against the system that
// runs here, or against the one whose DATABASE_URL_TRANSFER_TRACKER and KAFKA_BROKERS are in the environment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { commandFlags, runCommand } from './system/command.ts';
import { runningState } from './system/detached-system.ts';
import { databaseVariable } from './system/names.ts';
import { repository, runDirectory } from './system/run-directory.ts';

const entry = join(repository, 'apps', 'transfer-tracker', 'dist', 'rebuild.js');

await runCommand(async () => {
  const { json, directory } = commandFlags();
  const environment = { ...process.env, ...trackerOf(directory) };
  const child = spawn(
    process.execPath,
    ['--disable-warning=TimeoutNegativeWarning', entry, ...(json ? ['--json'] : [])],
    { stdio: 'inherit', env: environment },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
});

/** What a tracker process is told, as far as a rebuild needs it. The environment says which system it is first. */
function trackerOf(directory: string | undefined): NodeJS.ProcessEnv {
  const given = process.env[databaseVariable('transfer-tracker')];
  if (directory === undefined && given && process.env['KAFKA_BROKERS']) {
    return { DATABASE_URL: given };
  }
  const state = runningState(runDirectory(directory));
  const url = state?.databaseUrls['transfer-tracker'];
  if (state === undefined || url === undefined) {
    throw new CodedError(
      'no_tracker',
      'no system is running here (npm run up), and the environment names none: ' +
        'DATABASE_URL_TRANSFER_TRACKER and KAFKA_BROKERS',
    );
  }
  return {
    DATABASE_URL: url,
    KAFKA_BROKERS: state.brokers,
    TOPIC_PREFIX: state.topicPrefix,
    REQUEST_TEAMS: state.requestTeams.join(','),
    TIME_SCALE: state.timeScale,
  };
}
