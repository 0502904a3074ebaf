// The supervisor of one system: starts each part as soon as what it needs is there, says in the run
// directory what runs, and stops all of it.
import { rmSync } from 'node:fs';
import { allTopics } from '@compasso/contracts';
import { CodedError, invariant } from '@compasso/kernel';
import { identityOf } from '../../infra/process-identity.mjs';
import { provisionDatabases } from '../../infra/postgres/provision.ts';
import { ensureKeys } from './keys.ts';
import { type Addresses, databaseOwners, type DatabaseUrls, type ProcessName } from './names.ts';
import { type Parts, planParts } from './parts.ts';
import { killLeftovers, type RunDirectory } from './run-directory.ts';
import { type RunState, writeState } from './run-state.ts';
import { givenDatabases } from './service-environment.ts';
import type { SupervisedProcess } from './supervised-process.ts';
import type { RunningProcess, System } from './system.ts';
import { settingsOf, type SystemOptions, type SystemSettings } from './system-options.ts';
import { createTopics } from './topics.ts';

/** Kafka and Postgres watch over their own start; before it there may be a download. */
const infrastructureWithinMs = 900_000;
const readyWithinMs = 300_000;
const restartWithinMs = 180_000;

type Prepared = {
  readonly directory: RunDirectory;
  readonly settings: SystemSettings;
  readonly environment: NodeJS.ProcessEnv;
  readonly parts: Parts;
  readonly databaseUrls: Partial<DatabaseUrls>;
};

export async function prepareRun(
  directory: RunDirectory,
  options: SystemOptions,
): Promise<SystemRun> {
  const environment = process.env;
  const settings = settingsOf(options, environment);
  const databaseUrls: Partial<DatabaseUrls> = givenDatabases(environment);
  const keys = await ensureKeys(directory.keys);
  const parts = await planParts({
    directory,
    options,
    settings,
    environment,
    keys,
    databaseUrls: () => databaseUrls,
  });
  return new SystemRun({ directory, settings, environment, parts, databaseUrls });
}

export class SystemRun implements System {
  readonly #prepared: Prepared;
  readonly #all: readonly SupervisedProcess[];
  #phase: RunState['phase'] = 'starting';
  #failure: RunState['failure'];
  #stopped: Promise<void> | undefined;
  readonly #afterwards: (() => void)[] = [];

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
    const { kafka, postgres, services } = prepared.parts;
    this.#all = [kafka, postgres?.process, ...services].filter((part) => part !== undefined);
    for (const part of this.#all) part.onChange(() => this.#publish());
  }

  get directory(): string {
    return this.#prepared.directory.path;
  }

  get keysDirectory(): string {
    return this.#prepared.directory.keys;
  }

  get addresses(): Addresses {
    return this.#prepared.parts.addresses;
  }

  get managementAddresses(): Addresses {
    return this.#prepared.parts.managementAddresses;
  }

  get brokers(): string {
    return this.#prepared.parts.brokers;
  }

  get topicPrefix(): string {
    return this.#prepared.settings.topicPrefix;
  }

  get databaseUrls(): DatabaseUrls {
    const urls = this.#prepared.databaseUrls;
    invariant(
      databaseOwners.every((owner) => urls[owner] !== undefined),
      'databases are asked for after the start',
    );
    return urls as DatabaseUrls;
  }

  async start(): Promise<void> {
    process.once('exit', this.#killRest);
    this.#publish();
    const { services } = this.#prepared.parts;
    const needNothing = services.filter(({ plan }) => plan.name === 'provider-simulator');
    needNothing.forEach((service) => service.start());
    await Promise.all([this.#startKafka(), this.#startPostgres()]);
    services.forEach((service) => service.start());
  }

  async waitReady(): Promise<void> {
    try {
      await Promise.all(this.#all.map((part) => part.ready({ withinMs: readyWithinMs })));
    } catch (error) {
      this.#failure ??= failureOf(error);
      throw error;
    }
    if (this.#phase === 'starting') this.#phase = 'ready';
    this.#publish();
  }

  async waitRestarted(name: ProcessName, replica: number, previousPid: number): Promise<number> {
    return this.#find(name, replica).ready({ except: previousPid, withinMs: restartWithinMs });
  }

  processes(): RunningProcess[] {
    return this.#all
      .map((part) => part.report())
      .filter((report) => report.pid !== null) as RunningProcess[];
  }

  kill(name: ProcessName, replica: number, signal: NodeJS.Signals): number {
    return this.#find(name, replica).kill(signal);
  }

  afterStop(act: () => void): void {
    this.#afterwards.push(act);
  }

  stop(failure?: unknown): Promise<void> {
    this.#stopped ??= this.#stop(failure);
    return this.#stopped;
  }

  // Those who ask go before those who answer: nothing in flight is cut off without need.
  async #stop(failure: unknown): Promise<void> {
    if (failure !== undefined) this.#failure = failureOf(failure);
    this.#phase = this.#failure === undefined ? 'stopping' : 'failed';
    this.#publish();
    const { services, kafka, postgres, releasePorts } = this.#prepared.parts;
    const simulators = services.filter(({ plan }) => plan.name === 'provider-simulator');
    const others = services.filter((service) => !simulators.includes(service));
    const servers = [kafka, postgres?.process].filter((part) => part !== undefined);
    for (const group of [others, simulators, servers]) {
      await Promise.all(group.map((part) => part.stop()));
    }
    releasePorts();
    // A failed start leaves word of why; after an ordinary stop there is nothing to tell.
    if (this.#failure === undefined) rmSync(this.#prepared.directory.stateFile, { force: true });
    else this.#publish();
    process.off('exit', this.#killRest);
    this.#afterwards.forEach((act) => act());
  }

  async #startKafka(): Promise<void> {
    const { parts, environment, settings } = this.#prepared;
    parts.kafka?.start();
    await parts.kafka?.ready({ withinMs: infrastructureWithinMs });
    const topics = allTopics({ requestTeams: settings.requestTeams });
    await createTopics(
      { ...environment, KAFKA_BROKERS: parts.brokers },
      topics,
      settings.topicPrefix,
    );
  }

  async #startPostgres(): Promise<void> {
    const { parts, databaseUrls, directory } = this.#prepared;
    if (parts.postgres === undefined) return;
    const { plan, process } = parts.postgres;
    process.start();
    await process.ready({ withinMs: infrastructureWithinMs });
    const missing = databaseOwners.filter((owner) => databaseUrls[owner] === undefined);
    const passwordFile = directory.databasePasswords;
    Object.assign(
      databaseUrls,
      await provisionDatabases(plan.superuserUrl(), missing, { passwordFile }),
    );
  }

  #find(name: ProcessName, replica: number): SupervisedProcess {
    const found = this.#all.find(({ plan }) => plan.name === name && plan.replica === replica);
    if (found === undefined)
      throw new CodedError('no_such_process', `this system has no ${name} ${replica}`);
    return found;
  }

  #publish(): void {
    const self = identityOf(process.pid);
    invariant(self !== undefined, 'this process exists');
    const { directory, parts, settings, databaseUrls } = this.#prepared;
    writeState(directory.stateFile, {
      supervisor: self,
      phase: this.#phase,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      processes: this.#all.map((part) => part.report()),
      deaths: this.#all.flatMap((part) => part.deaths()),
      addresses: parts.addresses,
      managementAddresses: parts.managementAddresses,
      databaseUrls,
      brokers: parts.brokers,
      topicPrefix: settings.topicPrefix,
      requestTeams: settings.requestTeams,
      timeScale: settings.timeScale,
      directory: directory.path,
      keysDirectory: directory.keys,
      ...(settings.otlpEndpoint === undefined ? {} : { otlp: settings.otlpEndpoint }),
    });
  }

  // Whoever dies of an error of its own cannot wait for a gentle stop any more.
  readonly #killRest = (): void => killLeftovers(this.#prepared.directory);
}

function failureOf(error: unknown): RunState['failure'] {
  if (error instanceof CodedError) return { code: error.code, message: error.message };
  return { code: 'not_started', message: error instanceof Error ? error.message : String(error) };
}
