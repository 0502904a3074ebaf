// The steps of a test run, cheapest first: what each runs, how long it may take, and how its result is counted.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, runCommand, type RunOptions } from './run-command.ts';
import { failedOnce, type JestReport, passedOnce, type Tally, tallyOfJest } from './tally.ts';

export interface Step {
  readonly name: string;
  run(options: RunOptions): Promise<Tally>;
}

const check = (name: string, ...[command, ...rest]: [string, ...string[]]): Step => ({
  name,
  async run(options) {
    const ended = await runCommand({ command, arguments: rest, minutesMax: 8 }, options);
    return ended === 'well' ? passedOnce : failedOnce(name, `${ended.badly}: see its messages above`);
  },
});

/** @param workersMax processes side by side; one where tests share the machine's ports and its two processors */
const jestTier = (name: string, workersMax: number, minutesMax: number): Step => ({
  name,
  async run(options) {
    const directory = mkdtempSync(join(tmpdir(), 'compasso-tests-'));
    const outputFile = join(directory, 'report.json');
    const tier = ['--selectProjects', name, `--maxWorkers=${workersMax}`, '--ci'];
    const command: Command = {
      command: 'npm',
      arguments: ['run', '-s', 'jest', '--', ...tier, '--json', '--outputFile', outputFile],
      minutesMax,
    };
    try {
      const ended = await runCommand(command, options);
      return tallyOfJest(name, readReport(outputFile), ended);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
});

export const steps: readonly Step[] = [
  check('lint', 'npm', 'run', '-s', 'lint'),
  check('typecheck', 'npm', 'run', '-s', 'typecheck'),
  jestTier('unit', 2, 6),
  jestTier('architecture', 1, 5),
  jestTier('int', 2, 12),
  jestTier('e2e', 1, 14),
];

function readReport(file: string): JestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JestReport;
  } catch {
    return undefined;
  }
}
