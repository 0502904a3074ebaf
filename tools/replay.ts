// `npm run replay -- --service ledger (--list | --all | --reason CODE | --topic T --partition P --offset O) [--json]`: shows or
// replays dead letters in a process of the service that owns them, against the system that runs here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { runCommand } from './system/command.ts';
import { runningState } from './system/detached-system.ts';
import { keyFiles } from './system/keys.ts';
import { databaseOwners, type DatabaseOwner, defaultReplicas } from './system/names.ts';
import { repository, runDirectory } from './system/run-directory.ts';
import type { RunState } from './system/run-state.ts';
import { serviceEnvironment } from './system/service-environment.ts';

/** Two options are for us; the rest is the owner's business. */
const ours = ['--service', '--directory'];

await runCommand(async () => {
  const words = process.argv.slice(2);
  const given = Object.fromEntries(ours.map((name) => [name, valueAfter(words, name)]));
  const service = databaseOwners.find((owner) => owner === given['--service']);
  if (service === undefined) {
    throw new CodedError('service_missing', `--service must be one of ${databaseOwners.join(', ')}.`);
  }
  const state = runningState(runDirectory(given['--directory']));
  if (state === undefined) throw new CodedError('nothing_running', 'nothing is running here: npm run up');
  const entry = join(repository, 'apps', service, 'dist', 'replay.js');
  const rest = words.filter((word, at) => !ours.includes(word) && !ours.includes(words[at - 1] ?? ''));
  const child = spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', entry, ...rest], {
    stdio: 'inherit',
    env: environmentOf(service, state),
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
});

function valueAfter(words: readonly string[], name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

/** What a replica of the service is told. It listens nowhere, so its ports do not matter. */
function environmentOf(service: DatabaseOwner, state: RunState): NodeJS.ProcessEnv {
  const { addresses, brokers, databaseUrls, keysDirectory, requestTeams, timeScale, topicPrefix } = state;
  const settings = {
    replicas: defaultReplicas,
    timeScale,
    requestTeams,
    topicPrefix,
    otlpEndpoint: undefined,
  };
  const around = {
    environment: process.env,
    settings,
    keys: keyFiles(keysDirectory),
    addresses,
    brokers,
    simulatorStore: '',
  };
  return serviceEnvironment(service, around, { replica: 0, httpPort: 0, managementPort: 0 }, databaseUrls);
}
