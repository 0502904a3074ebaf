import { randomBytes } from 'node:crypto';
import { loopback } from '../ports.ts';

export type BrokerPlace = {
  readonly dataDirectory: string;
  readonly port: number;
  readonly controllerPort: number;
};

/** One node that is broker and controller at once. */
export function brokerSettings({
  dataDirectory,
  port,
  controllerPort,
}: BrokerPlace): Readonly<Record<string, string>> {
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    // Voters by configuration, not in the log: then the controller's port may change between two
    // runs.
    'controller.quorum.voters': `1@${loopback}:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    listeners: `PLAINTEXT://${loopback}:${port},CONTROLLER://${loopback}:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://${loopback}:${port}`,
    'log.dirs': dataDirectory,
    'auto.create.topics.enable': 'false',
    'group.initial.rebalance.delay.ms': '0',
    // A killed node waits for the session of its former self to end before it serves again.
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
    ...singleNodeTopics,
    ...smallMachine,
  };
}

/** The format of a Java properties file. */
export function settingsFile(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value.replaceAll('\\', '\\\\')}\n`)
    .join('');
}

/**
 * Cluster and directory ids are 16 random bytes. A leading dash would be read as an option by
 * Kafka's tools.
 */
export function newKafkaId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}

const singleNodeTopics = {
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '6',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '2',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
};

const smallMachine = {
  'num.network.threads': '2',
  'num.io.threads': '4',
  'num.recovery.threads.per.data.dir': '2',
  // The default of 128 MB is a quarter of the heap.
  'log.cleaner.dedupe.buffer.size': String(16 * 1024 * 1024),
  'log.index.size.max.bytes': String(1024 * 1024),
};
