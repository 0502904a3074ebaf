// `npm test`: every tier that continuous integration runs, summed into one last line.
//
//   npm test                          all of it
//   npm test -- --tier unit,int       some of it: lint, typecheck, unit, architecture, int, e2e
//   npm test -- --demo-report <file> --demo-exit <code>     counts a demo that ran before
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { tallyOfDemo } from './demo-report.ts';
import { type Step, steps } from './steps.ts';
import { failedOnce, type Failure, isGood, sumOf, summaryLine, type Tally } from './tally.ts';

const root = dirname(dirname(import.meta.dirname));
const detailLinesMax = 60;
/** Of everything together: continuous integration gives up on us soon after. */
const minutesMax = 19;
const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
const interrupted = AbortSignal.any([interruption.signal, AbortSignal.timeout(minutesMax * 60_000)]);

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { tier: { type: 'string' }, 'demo-report': { type: 'string' }, 'demo-exit': { type: 'string' } },
  });
  const chosen = chosenSteps(values.tier);
  if (chosen === undefined) {
    say(`no such tier: ${values.tier}. There are: ${steps.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const tallies = values['demo-report'] === undefined ? [] : [demoTally(values['demo-report'], values['demo-exit'])];
  for (const step of chosen) {
    tallies.push(interrupted.aborted ? failedOnce(step.name, 'was not reached') : await timed(step));
  }
  const total = sumOf(tallies);
  total.failures.forEach(printFailure);
  total.skipped.forEach((name) => say(`\nSKIPPED ${name}`));
  say(`\n${summaryLine(total)}`);
  return isGood(total) ? 0 : 1;
}

function chosenSteps(wanted: string | undefined): readonly Step[] | undefined {
  if (wanted === undefined) return steps;
  const names = wanted.split(',');
  const known = names.every((name) => steps.some((step) => step.name === name));
  return known ? steps.filter((step) => names.includes(step.name)) : undefined;
}

async function timed(step: Step): Promise<Tally> {
  say(`\n=== ${step.name}`);
  const since = performance.now();
  const tally = await step.run({ workingDirectory: root, interrupted });
  say(`=== ${step.name}: ${summaryLine(tally)} in ${Math.round((performance.now() - since) / 1_000)} s`);
  return tally;
}

function demoTally(file: string, exitCode: string | undefined): Tally {
  const tally = tallyOfDemo(readFileSync(file, 'utf8'), Number(exitCode ?? 1));
  say(`=== demo: ${summaryLine(tally)}`);
  return tally;
}

function printFailure({ name, detail }: Failure): void {
  say(`\nFAILED ${name.replace(join(root, '/'), '')}`);
  // Where the runner itself was says nothing about the failure.
  const lines = detail.trimEnd().split('\n').filter((line) => !/^\s+at .*node_modules/.test(line));
  lines.slice(0, detailLinesMax).forEach((line) => say(`    ${line}`));
  if (lines.length > detailLinesMax) say(`    … and ${lines.length - detailLinesMax} lines more, above`);
}
