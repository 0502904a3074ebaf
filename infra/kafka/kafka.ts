// Apache Kafka itself, one KRaft node, for a machine without Docker. Starting again on the same
// directory keeps topics, records and offsets, after a clean stop and after a kill.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { type ChildExit, logTail, type RunningChild, startChild } from '../child.ts';
import type { Log } from '../log.ts';
import { claimPort, loopback, type PortClaim } from '../ports.ts';
import { until } from '../until.ts';
import { brokerSettings, newKafkaId, settingsFile } from './broker-settings.ts';
import { classArchive } from './class-archive.ts';
import { type KafkaDistribution, kafkaDistribution } from './distribution.ts';
import { findJava, type Java } from './java.ts';
import { coordinatesGroups } from './probe.ts';

export type KafkaOptions = {
  readonly directory: string;
  /** Without it the first free one of the default range is taken. */
  readonly port?: number;
  readonly log: Log;
  readonly signal?: AbortSignal;
};

export type RunningKafka = RunningChild & { readonly brokers: string; readonly port: number };

export const kafkaPortFirst = 19_092;
const controllerPortFirst = 19_392;
// Ten times what a busy machine was seen to need.
const startWithinMs = 180_000;
const heapMegabytesMax = 512;

export async function startKafka(options: KafkaOptions): Promise<RunningKafka> {
  const java = findJava();
  const distribution = await kafkaDistribution({ java, log: options.log, signal: options.signal });
  prepareData(options.directory, distribution);
  const claims: PortClaim[] = [];
  const claim = async (first: number) => {
    const taken = await claimPort(first);
    claims.push(taken);
    return taken.port;
  };
  const release = () => claims.forEach((taken) => taken.release());
  try {
    const port = options.port ?? (await claim(kafkaPortFirst));
    const broker = await startBroker(options, {
      java,
      distribution,
      port,
      controllerPort: await claim(controllerPortFirst),
    });
    void broker.exited.then(release);
    return { ...broker, port, brokers: `${loopback}:${port}` };
  } catch (error) {
    release();
    throw error;
  }
}

type Start = {
  readonly java: Java;
  readonly distribution: KafkaDistribution;
  readonly port: number;
  readonly controllerPort: number;
};

async function startBroker(options: KafkaOptions, start: Start): Promise<RunningChild> {
  const { directory, signal } = options;
  const settings = join(directory, 'server.properties');
  const logFile = join(directory, 'kafka.log');
  const { port, controllerPort } = start;
  writeFileSync(
    settings,
    settingsFile(brokerSettings({ dataDirectory: dataIn(directory), port, controllerPort })),
  );
  const archive = classArchive(start.distribution, start.java);
  const broker = await startChild({
    command: start.java.command,
    arguments: [...javaArguments(start.distribution), ...archive.flags, 'kafka.Kafka', settings],
    environment: process.env,
    logFile,
    pidFile: join(directory, 'kafka.pid.json'),
    stopGraceMs: 30_000,
  });
  void broker.exited.then(archive.keep);
  await hasStarted(broker, { port, logFile, signal });
  return broker;
}

async function hasStarted(
  broker: RunningChild,
  { port, logFile, signal }: { port: number; logFile: string; signal: AbortSignal | undefined },
): Promise<void> {
  let exit: ChildExit | undefined;
  void broker.exited.then((value) => (exit = value));
  try {
    await until(async () => exit !== undefined || (await coordinatesGroups(loopback, port)), {
      what: 'Kafka to serve',
      withinMs: startWithinMs,
      signal,
    });
  } catch (error) {
    await broker.stop();
    throw error;
  }
  if (exit !== undefined) {
    throw new CodedError(
      'kafka_exited',
      `Kafka stopped while it started, see ${logFile}:\n${logTail(logFile)}`,
    );
  }
}

function javaArguments({ jars }: KafkaDistribution): string[] {
  return [
    '-Xms128m',
    `-Xmx${heapMegabytesMax}m`,
    // The parallel collectors cost threads and memory that a heap of this size does not repay.
    '-XX:+UseSerialGC',
    // A broker of ours serves a demo, a test or a bench. Under load the optimising compiler takes
    // more of two cores in a broker's first minute and a half than its code saves in that time.
    '-XX:TieredStopAtLevel=1',
    '-cp',
    join(jars, '*'),
    `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.xml')}`,
  ];
}

function dataIn(directory: string): string {
  return join(directory, 'data');
}

// The data get their name last: a start that was killed half way leaves nothing that looks like a
// formatted log.
function prepareData(directory: string, { formatted }: KafkaDistribution): void {
  const data = dataIn(directory);
  if (existsSync(data)) return;
  const draft = `${data}.preparing`;
  mkdirSync(directory, { recursive: true });
  rmSync(draft, { recursive: true, force: true });
  cpSync(formatted, draft, { recursive: true });
  const identity = {
    version: '1',
    'node.id': '1',
    'cluster.id': newKafkaId(),
    'directory.id': newKafkaId(),
  };
  writeFileSync(join(draft, 'meta.properties'), settingsFile(identity));
  renameSync(draft, data);
}
