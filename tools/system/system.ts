// A whole running system, as demo, end-to-end tests, bench and `npm run up` see it.
import type { Addresses, DatabaseUrls, ProcessName } from './names.ts';
import { runDirectory, takeRunDirectory } from './run-directory.ts';
import type { ProcessReport } from './run-state.ts';
import { noSignalWatch, stopOnSignals } from './stop-on-signals.ts';
import { prepareRun } from './system-run.ts';
import type { SystemOptions } from './system-options.ts';

export type RunningProcess = ProcessReport & { readonly pid: number };

export type System = {
  readonly directory: string;
  readonly keysDirectory: string;
  readonly addresses: Addresses;
  readonly managementAddresses: Addresses;
  readonly databaseUrls: DatabaseUrls;
  readonly brokers: string;
  readonly topicPrefix: string;
  /** Those that run now. */
  processes(): readonly RunningProcess[];
  /** @returns the pid that got the signal. */
  kill(name: ProcessName, replica: number, signal: NodeJS.Signals): number;
  /** Resolves when every process is ready. */
  waitReady(): Promise<void>;
  /** Resolves with the pid of the successor of `previousPid`, once it is ready. */
  waitRestarted(name: ProcessName, replica: number, previousPid: number): Promise<number>;
  /** Stops everything in the right order. Afterwards no process of the system is left. */
  stop(): Promise<void>;
};

/**
 * Starts Kafka and Postgres unless the environment names running ones, topics, databases and all
 * services. It is supervised by this process. Resolves when the services are started: `waitReady`
 * waits until they serve.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const directory = runDirectory(options.directory);
  const release = await takeRunDirectory(directory, { fresh: options.fresh ?? false });
  const run = await prepareRun(directory, options).catch((error: unknown) => {
    release();
    throw error;
  });
  const watch = options.stopOnSignals === false ? noSignalWatch : stopOnSignals(() => run.stop());
  run.afterStop(watch.end);
  run.afterStop(release);
  try {
    await run.start();
    return run;
  } catch (error) {
    await run.stop(error);
    // What a signal interrupts has not failed: nobody is told, the process exits.
    if (watch.isStopping()) await new Promise(() => {});
    throw error;
  }
}
