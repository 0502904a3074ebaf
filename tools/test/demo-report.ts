// The demo counts as tests: each story, each invariant, and the demo as a whole. Read from the one JSON object that
// `npm run demo -- --json` prints.
import { failedOnce, nothing, passedOnce, sumOf, type Tally } from './tally.ts';

interface DemoReport {
  readonly ok: boolean;
  readonly stories: readonly { readonly story: string; readonly ok: boolean }[];
  readonly invariants: readonly {
    readonly id: number | string;
    readonly name: string;
    readonly checked: number;
    readonly violations: unknown;
    readonly ok: boolean;
  }[];
}

export function tallyOfDemo(printed: string, exitCode: number): Tally {
  const report = readReport(printed);
  if (report === undefined) return failedOnce('demo', `ended with ${exitCode} and printed no report`);
  const parts = sumOf([
    ...report.stories.map((story) => judged(`demo story ${story.story}`, story.ok === true, story)),
    ...report.invariants.map((invariant) =>
      judged(`demo invariant ${invariant.id}: ${invariant.name}`, isHeld(invariant), invariant),
    ),
  ]);
  return sumOf([parts, judged('demo', isWhole(report, parts, exitCode), { ok: report.ok, exitCode })]);
}

function readReport(printed: string): DemoReport | undefined {
  try {
    const report: unknown = JSON.parse(printed);
    return isReport(report) ? report : undefined;
  } catch {
    return undefined;
  }
}

const isReport = (value: unknown): value is DemoReport =>
  typeof value === 'object' &&
  value !== null &&
  'stories' in value &&
  Array.isArray(value.stories) &&
  'invariants' in value &&
  Array.isArray(value.invariants);

// An invariant that looked at nothing holds nothing.
const isHeld = (invariant: DemoReport['invariants'][number]): boolean =>
  invariant.ok === true && invariant.checked > 0;

const isWhole = (report: DemoReport, parts: Tally, exitCode: number): boolean =>
  exitCode === 0 && report.ok === true && report.stories.length > 0 && parts.failures.length === 0;

const judged = (name: string, ok: boolean, facts: object): Tally =>
  ok ? passedOnce : { ...nothing, failures: [{ name, detail: JSON.stringify(facts) }] };
