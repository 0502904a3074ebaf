// The sources of the system that `npm run up` or `npm run demo -- --keep` left running.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { runningState } from '../system/detached-system.ts';
import { runDirectory } from '../system/run-directory.ts';
import { type ProcessName, serviceNames } from '../system/names.ts';
import type { Sources } from './sources.ts';

const exportsSpans = (name: ProcessName): boolean => serviceNames.some((service) => service === name);

export function runningSources(directory?: string): Sources {
  const state = runningState(runDirectory(directory));
  if (state === undefined) {
    throw new CodedError('nothing_running', 'Nothing is running here: start it with `npm run up`.', {});
  }
  return {
    databaseUrls: state.databaseUrls as Sources['databaseUrls'],
    kafka: { brokers: state.brokers.split(','), topicPrefix: state.topicPrefix },
    provider: {
      url: state.addresses['provider-simulator'][0]!,
      apiKey: readFileSync(join(state.keysDirectory, 'provider-api.key'), 'utf8').trim(),
    },
    requestTeams: (process.env['REQUEST_TEAMS'] ?? 'acme').split(','),
    spans: state.otlp,
    deaths: state.deaths.filter(({ name }) => exportsSpans(name)).map(({ at }) => at),
  };
}
