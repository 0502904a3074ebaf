// npm run demo [-- --json] [--keep] [--story NAME]… [--transfers N]
// Every kind of transfer against a provider that misbehaves, on real Kafka and real Postgres, with kills in between;
// then the nine invariants. Exit code 0 only if each story ended as it should and every invariant holds.
import { clientsOf } from '../client/clients.ts';
import { followStatusFeed } from '../client/status-feed.ts';
import { print, runCommand } from '../system/command.ts';
import { type DemoOptions, demoOptions } from './demo-options.ts';
import { type DemoSystem, startDemoSystem } from './demo-system.ts';
import { invitation } from './invitation.ts';
import { judgeRunning } from './judge.ts';
import { type DemoReport, reportInWords, reportOf } from './report.ts';
import { runStories } from './run-stories.ts';
import { type Screen, screenOn } from './screen.ts';
import { stories } from './stories.ts';

await runCommand(async () => {
  const options = demoOptions(process.argv.slice(2), stories);
  const write = (line: string) => void (options.json ? process.stderr : process.stdout).write(`${line}\n`);
  const screen = screenOn(write);
  const demo = await startDemoSystem(options.keep, screen.say);
  try {
    const report = await play(demo, options, { screen, write });
    if (options.keep) (await invitation(demo.system)).forEach(write);
    else screen.say('stopping everything');
    await demo.leave();
    if (options.json) print(report);
    if (!report.ok) process.exitCode = 1;
  } catch (error) {
    await demo.leave();
    throw error;
  }
});

interface Stage {
  readonly screen: Screen;
  readonly write: (line: string) => void;
}

async function play({ system }: DemoSystem, options: DemoOptions, { screen, write }: Stage): Promise<DemoReport> {
  screen.say(`ready: ${system.processes().map(({ name, replica, pid }) => `${name} ${replica} (${pid})`).join(', ')}`);
  const kafka = { brokers: system.brokers.split(','), topicPrefix: system.topicPrefix };
  const feed = await followStatusFeed(kafka, (change) => screen.move(change));
  const clients = await clientsOf(system);
  const world = { system, clients, transfersPerKill: options.transfersPerKill, say: screen.say };
  try {
    const outcomes = await runStories(options.stories, world, screen);
    screen.say('waiting for rest, then judging everything from databases, topics, the provider and spans');
    const { invariants, moving } = await judgeRunning(system.directory);
    moving.forEach((what) => screen.say(`still moving: ${what}`));
    const report = reportOf(outcomes, invariants, system.addresses);
    reportInWords(report, outcomes, screen.seconds()).forEach(write);
    return report;
  } finally {
    await clients.close();
    await feed.stop();
  }
}
