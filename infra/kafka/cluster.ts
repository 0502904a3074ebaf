// Three KRaft nodes on one machine, for tests that need a broker to die while others go on. Data are
// thrown away; a node that was killed can be started again on what it had written.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { endLeftover, logTail, type RunningChild, startChild } from '../child.ts';
import { sharedDirectory } from '../directories.ts';
import type { Log } from '../log.ts';
import { claimPort, loopback, type PortClaim } from '../ports.ts';
import { until } from '../until.ts';
import { brokerSettings, newKafkaId, settingsFile } from './broker-settings.ts';
import { classArchive } from './class-archive.ts';
import { type KafkaDistribution, kafkaDistribution } from './distribution.ts';
import { findJava, type Java } from './java.ts';
import { coordinatesGroups } from './probe.ts';

export type ClusterNode = {
  readonly id: number;
  readonly address: string;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on its data and waits until it serves. */
  start(): Promise<void>;
};

export type RunningCluster = {
  readonly brokers: readonly string[];
  node(id: number): ClusterNode;
  stop(): Promise<void>;
};

export type ClusterOptions = { readonly log: Log; readonly signal?: AbortSignal };

const nodeIds = [1, 2, 3] as const;
const portFirst = 19_592;
const controllerPortFirst = 19_792;
const heapMegabytesMax = 256;
const startWithinMs = 180_000;

export async function startCluster({ log, signal }: ClusterOptions): Promise<RunningCluster> {
  const java = findJava();
  const distribution = await kafkaDistribution({ java, log, signal });
  const claims: PortClaim[] = [];
  const claim = async (first: number) => {
    const taken = await claimPort(first);
    claims.push(taken);
    return taken.port;
  };
  const ports: Ports[] = [];
  for (const id of nodeIds) {
    ports.push({ id, port: await claim(portFirst), controllerPort: await claim(controllerPortFirst) });
  }
  // Named by its port, so that the next run finds, and ends, what a killed one has left.
  const directory = sharedDirectory(`kafka-cluster-${ports[0]?.port}`);
  const clusterId = newKafkaId();
  const voters = ports.map(({ id, controllerPort }) => `${id}@${loopback}:${controllerPort}`).join(',');
  const nodes = ports.map((own) => new Node(own, { directory, clusterId, voters, java, distribution, signal }));
  const stop = async () => {
    await Promise.allSettled(nodes.map((node) => node.kill('SIGKILL')));
    rmSync(directory, { recursive: true, force: true });
    claims.forEach((taken) => taken.release());
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    brokers: nodes.map(({ address }) => address),
    node: (id) => nodes[id - 1] as ClusterNode,
    stop,
  };
}

/** Only what a clean stop of a single node has left: nodes that are killed write no archive. */
const archivedClasses = (distribution: KafkaDistribution, java: Java): readonly string[] => {
  const { flags } = classArchive(distribution, java);
  return flags.some((flag) => flag.includes('SharedArchiveFile')) ? flags : [];
};

type Ports = { readonly id: number; readonly port: number; readonly controllerPort: number };

type Setting = {
  readonly directory: string;
  readonly clusterId: string;
  readonly voters: string;
  readonly java: Java;
  readonly distribution: KafkaDistribution;
  readonly signal: AbortSignal | undefined;
};

class Node implements ClusterNode {
  readonly id: number;
  readonly address: string;
  private readonly ports: Ports;
  private readonly setting: Setting;
  private readonly directory: string;
  private child: RunningChild | undefined;
  private formatted = false;

  constructor(ports: Ports, setting: Setting) {
    this.id = ports.id;
    this.address = `${loopback}:${ports.port}`;
    this.ports = ports;
    this.setting = setting;
    this.directory = join(setting.directory, `node-${ports.id}`);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.child?.kill(signal);
    await this.child?.exited;
    this.child = undefined;
  }

  async start(): Promise<void> {
    const { java, distribution } = this.setting;
    const pidFile = join(this.directory, 'kafka.pid.json');
    const logFile = join(this.directory, 'kafka.log');
    const settings = join(this.directory, 'server.properties');
    await endLeftover(pidFile);
    if (!this.formatted) this.format();
    writeFileSync(settings, settingsFile(this.settings()));
    this.child = await startChild({
      command: java.command,
      arguments: [
        '-Xms64m',
        `-Xmx${heapMegabytesMax}m`,
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        ...archivedClasses(distribution, java),
        '-cp',
        join(distribution.jars, '*'),
        `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.xml')}`,
        'kafka.Kafka',
        settings,
      ],
      environment: process.env,
      logFile,
      pidFile,
    });
    await this.hasStarted(this.child, logFile);
  }

  private get data(): string {
    return join(this.directory, 'data');
  }

  private format(): void {
    rmSync(this.directory, { recursive: true, force: true });
    mkdirSync(this.directory, { recursive: true });
    cpSync(this.setting.distribution.formatted, this.data, { recursive: true });
    const identity = {
      version: '1',
      'node.id': String(this.id),
      'cluster.id': this.setting.clusterId,
      'directory.id': newKafkaId(),
    };
    writeFileSync(join(this.data, 'meta.properties'), settingsFile(identity));
    this.formatted = true;
  }

  private settings(): Readonly<Record<string, string>> {
    const { port, controllerPort } = this.ports;
    return {
      ...brokerSettings({ dataDirectory: this.data, port, controllerPort }),
      'node.id': String(this.id),
      'controller.quorum.voters': this.setting.voters,
      'default.replication.factor': '3',
      'min.insync.replicas': '2',
      'offsets.topic.replication.factor': '3',
      'offsets.topic.num.partitions': '12',
      'transaction.state.log.replication.factor': '3',
      'share.coordinator.state.topic.replication.factor': '3',
    };
  }

  private async hasStarted(child: RunningChild, logFile: string): Promise<void> {
    const { port } = this.ports;
    const exited = child.exited.then(() => true);
    await until(
      async () => {
        const gone = await Promise.race([exited, coordinatesGroups(loopback, port, 2_000).then(() => false)]);
        if (!gone) return coordinatesGroups(loopback, port);
        throw new CodedError('kafka_exited', `Kafka stopped while it started, see ${logFile}:\n${logTail(logFile)}`);
      },
      { what: `node ${this.id} of Kafka to serve`, withinMs: startWithinMs, signal: this.setting.signal },
    );
  }
}
