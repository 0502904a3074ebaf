// What each service process is told, and nothing more: the contract between the supervisor and the
// services.
import { join } from 'node:path';
import { cacheDirectory } from '../../infra/directories.ts';
import { loopback } from '../../infra/ports.ts';
import type { KeyFiles } from './keys.ts';
import {
  type Addresses,
  type DatabaseUrls,
  databaseVariable,
  databaseOwners,
  type ServiceName,
} from './names.ts';
import type { SystemSettings } from './system-options.ts';

export type Surroundings = {
  /** Of the person who starts the system. */
  readonly environment: NodeJS.ProcessEnv;
  readonly settings: SystemSettings;
  readonly keys: KeyFiles;
  readonly addresses: Addresses;
  readonly brokers: string;
  readonly simulatorStore: string;
};

export type Position = {
  readonly replica: number;
  readonly httpPort: number;
  readonly managementPort: number;
};

const webhookPath = '/v1/webhooks/reference';
/**
 * What a person may set for the services from outside. The rest of a shell's variables are none of
 * their business.
 */
const handedOn = [
  /^(PATH|HOME|TZ|TMPDIR|LANG|LC_ALL|NODE_EXTRA_CA_CERTS|LOG_LEVEL)$/,
  /^(OTEL|KAFKA|AUTH|LEDGER|PAYEE|PROVIDER|GATEWAY|TRACKER|SIMULATOR)_/,
];

export function serviceEnvironment(
  service: ServiceName,
  around: Surroundings,
  position: Position,
  databaseUrls: Partial<DatabaseUrls>,
): NodeJS.ProcessEnv {
  return {
    ...inherited(around.environment),
    ...common(around, position),
    ...(service === 'provider-simulator' ? {} : messaging(around)),
    ...own(service, around),
    ...databaseOf(service, databaseUrls),
  };
}

function inherited(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => handedOn.some((known) => known.test(name))),
  );
}

function common(
  { settings }: Surroundings,
  { replica, httpPort, managementPort }: Position,
): NodeJS.ProcessEnv {
  return {
    NODE_ENV: 'production',
    // Seven processes load the same modules: the second one finds them compiled.
    NODE_COMPILE_CACHE: join(cacheDirectory(), 'node-compile-cache'),
    SERVICE_REPLICA: String(replica),
    HTTP_HOST: loopback,
    HTTP_PORT: String(httpPort),
    MANAGEMENT_PORT: String(managementPort),
    TIME_SCALE: settings.timeScale,
    ...(settings.otlpEndpoint === undefined
      ? {}
      : { OTEL_EXPORTER_OTLP_ENDPOINT: settings.otlpEndpoint }),
  };
}

function messaging({ environment, settings, keys, brokers }: Surroundings): NodeJS.ProcessEnv {
  return {
    KAFKA_BROKERS: brokers,
    TOPIC_PREFIX: settings.topicPrefix,
    REQUEST_TEAMS: settings.requestTeams.join(','),
    ...(environment['AUTH_JWKS_URL'] || environment['AUTH_JWKS_FILE']
      ? {}
      : { AUTH_JWKS_FILE: keys.authJwks }),
  };
}

function own(service: ServiceName, around: Surroundings): NodeJS.ProcessEnv {
  const { keys, addresses, settings } = around;
  const provider = {
    PROVIDER_API_KEY_FILE: keys.providerApi,
    PROVIDER_WEBHOOK_SECRET_FILE: keys.providerWebhook,
  };
  switch (service) {
    case 'ledger':
      return {
        PAYEE_JWKS_FILE: keys.payeeJwks,
        PAYEE_FINGERPRINT_KEY_FILE: keys.payeeFingerprint,
        LEDGER_TEAM_ACCOUNTS: JSON.stringify(
          Object.fromEntries(settings.requestTeams.map((team) => [team, ['*']])),
        ),
      };
    case 'payout-gateway':
      return {
        ...provider,
        PROVIDER_NAME: 'reference',
        PROVIDER_URL: addresses['provider-simulator'][0],
        PAYEE_PRIVATE_JWKS_FILE: keys.payeePrivateJwks,
      };
    case 'transfer-tracker':
      return {};
    case 'provider-simulator':
      return {
        ...provider,
        SIMULATOR_STORE_FILE: around.simulatorStore,
        WEBHOOK_URLS: addresses['payout-gateway']
          .map((address) => `${address}${webhookPath}`)
          .join(','),
      };
  }
}

function databaseOf(service: ServiceName, urls: Partial<DatabaseUrls>): NodeJS.ProcessEnv {
  const owner = databaseOwners.find((name) => name === service);
  return owner === undefined ? {} : { DATABASE_URL: urls[owner] };
}

/** The databases that the person who starts the system has named. */
export function givenDatabases(environment: NodeJS.ProcessEnv): Partial<DatabaseUrls> {
  const given = databaseOwners.map(
    (owner) => [owner, environment[databaseVariable(owner)]] as const,
  );
  return Object.fromEntries(given.filter(([, url]) => url !== undefined && url !== ''));
}
