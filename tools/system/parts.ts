// Everything that one system consists of, planned before anything is started.
import { loopback } from '../../infra/ports.ts';
import type { KeyFiles } from './keys.ts';
import {
  type Addresses,
  databaseOwners,
  type DatabaseUrls,
  type ServiceName,
  serviceNames,
} from './names.ts';
import { addressesOf, planPorts, type PortPlan } from './port-plan.ts';
import { kafkaPlan, type PostgresPlan, postgresPlan, servicePlan } from './process-plans.ts';
import type { RunDirectory } from './run-directory.ts';
import { serviceEnvironment, type Surroundings } from './service-environment.ts';
import { SupervisedProcess } from './supervised-process.ts';
import type { SystemOptions, SystemSettings } from './system-options.ts';

export type Parts = {
  readonly addresses: Addresses;
  readonly managementAddresses: Addresses;
  readonly brokers: string;
  /** Undefined when running brokers were given. */
  readonly kafka: SupervisedProcess | undefined;
  /** Undefined when every database was given. */
  readonly postgres:
    { readonly process: SupervisedProcess; readonly plan: PostgresPlan } | undefined;
  readonly services: readonly SupervisedProcess[];
  releasePorts(): void;
};

export type Planning = {
  readonly directory: RunDirectory;
  readonly options: SystemOptions;
  readonly settings: SystemSettings;
  readonly environment: NodeJS.ProcessEnv;
  readonly keys: KeyFiles;
  /** Asked when a service is started: the URLs are known only when Postgres runs. */
  databaseUrls(): Partial<DatabaseUrls>;
};

export async function planParts(planning: Planning): Promise<Parts> {
  const { directory, options, settings, environment, keys } = planning;
  const ports = await planPorts(settings.replicas);
  const givenBrokers = environment['KAFKA_BROKERS'] || undefined;
  const brokers = givenBrokers ?? `${loopback}:${ports.kafka}`;
  const addresses = addressesOf(ports.http);
  const around = {
    environment,
    settings,
    keys,
    addresses,
    brokers,
    simulatorStore: directory.data('provider-simulator.sqlite'),
  };
  return {
    addresses,
    managementAddresses: addressesOf(ports.management),
    brokers,
    kafka:
      givenBrokers === undefined
        ? new SupervisedProcess(kafkaPlan(directory, ports.kafka, options.log), options.log)
        : undefined,
    postgres: planPostgres(planning, ports),
    services: planServices(planning, ports, around),
    releasePorts: ports.release,
  };
}

function planPostgres(
  { directory, options, databaseUrls }: Planning,
  ports: PortPlan,
): Parts['postgres'] {
  const given = databaseUrls();
  if (databaseOwners.every((owner) => given[owner] !== undefined)) return undefined;
  const plan = postgresPlan(directory, ports.postgres, {
    log: options.log,
    settings: options.postgresSettings ?? {},
  });
  return { plan, process: new SupervisedProcess(plan, options.log) };
}

function planServices(
  planning: Planning,
  ports: PortPlan,
  around: Surroundings,
): SupervisedProcess[] {
  return serviceNames.flatMap((service) =>
    ports.http[service].map((httpPort, index) => {
      const managementPort = ports.management[service][index] ?? 0;
      return planService(planning, around, {
        service,
        replica: index + 1,
        httpPort,
        managementPort,
      });
    }),
  );
}

function planService(
  { directory, options, databaseUrls }: Planning,
  around: Surroundings,
  position: { service: ServiceName; replica: number; httpPort: number; managementPort: number },
): SupervisedProcess {
  const { service, replica, httpPort, managementPort } = position;
  const plan = servicePlan(directory, {
    service,
    replica,
    address: `http://${loopback}:${httpPort}`,
    managementAddress: `http://${loopback}:${managementPort}`,
    environment: () => ({
      ...serviceEnvironment(service, around, position, databaseUrls()),
      ...options.serviceEnvironment?.[service],
    }),
  });
  return new SupervisedProcess(plan, options.log);
}
