import type { Log } from '../../infra/log.ts';
import { defaultReplicas, type Replicas, type ServiceName } from './names.ts';

export type ServiceEnvironment = Partial<Record<ServiceName, Readonly<Record<string, string>>>>;

export type SystemOptions = {
  /** Data, keys, logs and state live here; `.compasso/system` of the clone without it. */
  readonly directory?: string;
  /** Throws away what earlier runs left in the directory. */
  readonly fresh?: boolean;
  readonly replicas?: Partial<Replicas>;
  /** Multiplies every waiting policy of the gateway, the tracker and the simulator. */
  readonly timeScale?: number;
  readonly requestTeams?: readonly string[];
  readonly topicPrefix?: string;
  /** Base URL of an OTLP receiver for the services' spans. */
  readonly otlpEndpoint?: string;
  /** Beside, and instead of, what the supervisor sets for a service. */
  readonly serviceEnvironment?: ServiceEnvironment;
  readonly postgresSettings?: Readonly<Record<string, string>>;
  /**
   * On SIGINT, SIGTERM and SIGHUP everything is stopped and this process exits. True without it.
   */
  readonly stopOnSignals?: boolean;
  readonly log: Log;
};

/** What can be handed to another process as JSON. */
export type PortableOptions = Omit<SystemOptions, 'log' | 'stopOnSignals'>;

export type SystemSettings = {
  readonly replicas: Replicas;
  readonly timeScale: string;
  readonly requestTeams: readonly string[];
  readonly topicPrefix: string;
  readonly otlpEndpoint: string | undefined;
};

/**
 * Options first, then the environment of the person who starts the system, then what suits a
 * development machine.
 */
export function settingsOf(options: SystemOptions, environment: NodeJS.ProcessEnv): SystemSettings {
  const given = (name: string) => (environment[name] === '' ? undefined : environment[name]);
  return {
    replicas: { ...defaultReplicas, ...options.replicas },
    timeScale:
      options.timeScale === undefined ? (given('TIME_SCALE') ?? '1') : String(options.timeScale),
    requestTeams: options.requestTeams ?? given('REQUEST_TEAMS')?.split(',') ?? ['acme'],
    topicPrefix: options.topicPrefix ?? given('TOPIC_PREFIX') ?? '',
    otlpEndpoint: options.otlpEndpoint ?? given('OTEL_EXPORTER_OTLP_ENDPOINT'),
  };
}
