// npm run bench [-- --transfers N --warm-up N --rate R --seconds S --replicas N --json]: how many transfers a second go all the way, how
// long one takes at a moderate rate, and what it costs in CPU. Everything, the load included, runs on this machine.
import { cpus } from 'node:os';
import { join } from 'node:path';
import { judgeAll, judges, type Judgement } from '@compasso/testing';
import { type Clients, clientsOf } from '../tools/client/clients.ts';
import { startOtlpReceiver } from '../tools/otlp-receiver.ts';
import { print, runCommand, say } from '../tools/system/command.ts';
import { repository } from '../tools/system/run-directory.ts';
import { startSystem, type System } from '../tools/system/system.ts';
import { collectFacts } from '../tools/verify/collect.ts';
import { untilQuiet } from '../tools/verify/quiet.ts';
import { runningSources } from '../tools/verify/running-sources.ts';
import { type BenchOptions, benchOptions } from './bench-options.ts';
import { cpuNow, cpuPerTransfer } from './cpu.ts';
import { openAccounts, sealRequests, sendAll, sendOpenLoop } from './load.ts';
import { serverSettings } from './server-settings.ts';
import { TrackerCommits } from './tracker-commits.ts';

const completeWithinMs = 300_000;
const quietWithinMs = 60_000;
/** Enough to see that traces are whole; tracing is off while anything is measured. */
const tracedTransfers = 100;

await runCommand(async () => {
  const options = benchOptions();
  const directory = join(repository, '.compasso', 'bench');
  const measured = await withSystem({ options, directory, fresh: true }, (system) => measure(system, options));
  const invariants = await judged(options, directory);
  const ok = invariants.every((one) => one.ok);
  const report = { ok, machine: { cores: cpus().length }, options, ...measured, invariants };
  if (options.json) print(report);
  else process.stdout.write(inWords(report));
  if (!ok) process.exitCode = 1;
});

interface Start {
  readonly options: BenchOptions;
  readonly directory: string;
  readonly fresh: boolean;
  readonly otlpEndpoint?: string;
}

async function withSystem<Result>(start: Start, work: (system: System) => Promise<Result>): Promise<Result> {
  const { replicas, trackerReplicas } = start.options;
  const quietly = { LOG_LEVEL: 'warn' };
  const system = await startSystem({
    directory: start.directory,
    fresh: start.fresh,
    timeScale: 1,
    replicas: { ledger: replicas, 'payout-gateway': replicas, 'transfer-tracker': trackerReplicas },
    serviceEnvironment: {
      ledger: quietly,
      'payout-gateway': quietly,
      'transfer-tracker': quietly,
      'provider-simulator': quietly,
    },
    postgresSettings: { track_commit_timestamp: 'on' },
    ...(start.otlpEndpoint === undefined ? {} : { otlpEndpoint: start.otlpEndpoint }),
    log: say,
  });
  try {
    await system.waitReady();
    return await work(system);
  } finally {
    await system.stop();
  }
}

async function measure(system: System, options: BenchOptions) {
  const clients = await clientsOf(system);
  const commits = new TrackerCommits(system.databaseUrls['transfer-tracker']);
  try {
    const open = options.rate * options.seconds;
    const each = Math.ceil((options.warmUp + options.transfers + open) / options.accounts);
    say(`opening ${options.accounts} accounts`);
    const accounts = await openAccounts(clients, options.accounts, each);
    await warmUp({ system, clients, commits, accounts }, options);
    const throughput = await measureThroughput({ system, clients, commits, accounts }, options);
    // What the load has left behind (statuses to publish, deadlines to judge) is not what the next figure is about.
    for (const what of await untilQuiet(runningSources(system.directory), quietWithinMs)) say(`still moving: ${what}`);
    const latency = await measureLatency({ system, clients, commits, accounts }, options);
    return { ...throughput, latency, settings: await serverSettings(system) };
  } finally {
    await Promise.all([clients.close(), commits.close()]);
  }
}

interface Stage {
  readonly system: System;
  readonly clients: Clients;
  readonly commits: TrackerCommits;
  readonly accounts: readonly string[];
}

async function warmUp({ clients, commits, accounts }: Stage, { warmUp: transfers }: BenchOptions): Promise<void> {
  say(`warming up with ${transfers} transfers`);
  await sendAll(clients, await sealRequests(clients, accounts, transfers));
  await commits.untilCompleted(transfers, completeWithinMs, () => undefined);
}

async function measureThroughput({ system, clients, commits, accounts }: Stage, { transfers }: BenchOptions) {
  say(`sealing ${transfers} requests`);
  const requests = await sealRequests(clients, accounts, transfers);
  say('sending them all');
  const done = await commits.completed();
  const before = cpuNow(system);
  const startedAt = Date.now();
  await sendAll(clients, requests);
  await commits.untilCompleted(done + transfers, completeWithinMs, (now) => say(`  ${now - done} completed`));
  const after = cpuNow(system);
  const settledAt = await commits.settledAt();
  const seconds = (Math.max(...settledAt.values()) - startedAt) / 1_000;
  return {
    completed: transfers,
    seconds: Math.round(seconds * 100) / 100,
    completedPerSecond: Math.round(transfers / seconds),
    cpuMicrosecondsPerTransfer: cpuPerTransfer(before, after, transfers),
  };
}

async function measureLatency({ system, clients, commits, accounts }: Stage, { rate, seconds }: BenchOptions) {
  const count = rate * seconds;
  say(`sealing ${count} more, for ${seconds} s at ${rate} a second`);
  const requests = await sealRequests(clients, accounts, count);
  const done = await commits.completed();
  const before = cpuNow(system);
  const intended = await sendOpenLoop(clients, requests, rate);
  await commits.untilCompleted(done + count, completeWithinMs, (now) => say(`  ${now - done} completed`));
  const after = cpuNow(system);
  const settledAt = await commits.settledAt();
  const milliseconds = [...intended].map(([id, at]) => settledAt.get(id)! - at).sort((a, b) => a - b);
  const percentile = (share: number): number => Math.round(milliseconds[Math.ceil(count * share) - 1]!);
  return {
    ratePerSecond: rate,
    transfers: count,
    p50Ms: percentile(0.5),
    p90Ms: percentile(0.9),
    p99Ms: percentile(0.99),
    maxMs: percentile(1),
    cpuMicrosecondsPerTransfer: cpuPerTransfer(before, after, count),
  };
}

/** The same databases and topics, started again with tracing on: everything is judged, traces on the last transfers. */
async function judged(options: BenchOptions, directory: string): Promise<readonly Judgement[]> {
  const receiver = await startOtlpReceiver();
  try {
    const start = { options, directory, fresh: false, otlpEndpoint: receiver.endpoint };
    return await withSystem(start, async (system) => {
      const clients = await clientsOf(system);
      try {
        const accounts = await openAccounts(clients, 10, tracedTransfers);
        const traced = await sealRequests(clients, accounts, tracedTransfers);
        await sendAll(clients, traced);
        say('waiting for rest, then judging');
        const sources = { ...runningSources(system.directory), spans: receiver.endpoint };
        for (const what of await untilQuiet(sources, quietWithinMs)) say(`still moving: ${what}`);
        const facts = await collectFacts(sources);
        const ids = new Set(traced.map(({ transferId }) => transferId));
        const withTraces = { ...facts, transfers: facts.transfers.filter(({ transferId }) => ids.has(transferId)) };
        return judgeAll(facts).map((one, at) => (one.id === 8 ? judges[at]!(withTraces) : one));
      } finally {
        await clients.close();
      }
    });
  } finally {
    await receiver.stop();
  }
}

type Report = Awaited<ReturnType<typeof measure>> & { readonly invariants: readonly Judgement[] };

function inWords({ completed, seconds, completedPerSecond, cpuMicrosecondsPerTransfer, latency, settings, invariants }: Report) {
  const lines = [
    `${completed} transfers completed in ${seconds} s: ${completedPerSecond} a second`,
    `CPU per transfer (µs): ${JSON.stringify(cpuMicrosecondsPerTransfer)}`,
    `at ${latency.ratePerSecond}/s, intended send to tracker commit: p50 ${latency.p50Ms} ms, p99 ${latency.p99Ms} ms, max ${latency.maxMs} ms`,
    `settings: ${JSON.stringify(settings)}`,
    ...invariants.flatMap(({ id, name, checked, violations, ok }) => [
      `${ok ? 'ok  ' : 'FAIL'}  ${id}  ${name} (${checked} checked)`,
      ...violations.slice(0, 5).map((violation) => `         ${violation}`),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}
