// npm run verify [-- --json]: recomputes everything and judges the nine invariants of the running system.
import { judgeAll, type Judgement } from '@compasso/testing';
import { commandFlags, print, runCommand } from '../system/command.ts';
import { collectFacts } from './collect.ts';
import { untilQuiet } from './quiet.ts';
import { runningSources } from './running-sources.ts';

const quietWithinMs = 60_000;

await runCommand(async () => {
  const { json, directory } = commandFlags();
  const sources = runningSources(directory);
  const moving = await untilQuiet(sources, quietWithinMs);
  const invariants = judgeAll(await collectFacts(sources));
  const ok = invariants.every((one) => one.ok);
  if (json) print({ ok, invariants, moving });
  else process.stdout.write(inWords(invariants, moving));
  if (!ok) process.exitCode = 1;
});

function inWords(invariants: readonly Judgement[], moving: readonly string[]): string {
  const lines = invariants.flatMap(({ id, name, checked, violations, ok }) => [
    `${ok ? 'ok  ' : 'FAIL'}  ${id}  ${name.padEnd(48)} ${String(checked).padStart(8)} checked`,
    ...violations.slice(0, 10).map((violation) => `         ${violation}`),
    ...(violations.length > 10 ? [`         and ${violations.length - 10} more`] : []),
  ]);
  return `${[...lines, ...moving.map((what) => `still moving: ${what}`)].join('\n')}\n`;
}
