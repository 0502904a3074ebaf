// Turns what a step of the test run reported into numbers. Nothing passes unseen: no tests, a suite that could not be
// loaded, and a run that ended badly although all its tests passed count as failures.

export interface Failure {
  readonly name: string;
  readonly detail: string;
}

export interface Tally {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly string[];
}

/** What `jest --json` writes, as far as it is read here. */
export interface JestReport {
  readonly testResults: readonly JestSuite[];
}

interface JestSuite {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'focused';
  readonly message: string;
  readonly assertionResults: readonly JestTest[];
}

interface JestTest {
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'pending' | 'skipped' | 'todo' | 'disabled' | 'focused';
  readonly failureMessages?: readonly string[];
}

export type Ended = 'well' | { readonly badly: string };

export const nothing: Tally = { passed: 0, failures: [], skipped: [] };

export const passedOnce: Tally = { ...nothing, passed: 1 };

export const failedOnce = (name: string, detail: string): Tally => ({ ...nothing, failures: [{ name, detail }] });

export const sumOf = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
  failures: tallies.flatMap((tally) => tally.failures),
  skipped: tallies.flatMap((tally) => tally.skipped),
});

/** A skipped test is a promise nobody keeps: it fails the run as a failure does. */
export const isGood = (tally: Tally): boolean => tally.failures.length === 0 && tally.skipped.length === 0;

export const summaryLine = (tally: Tally): string =>
  `${tally.passed} passed, ${tally.failures.length} failed, ${tally.skipped.length} skipped`;

export function tallyOfJest(tier: string, report: JestReport | undefined, ended: Ended): Tally {
  if (report === undefined) return failedOnce(tier, `no report: ${ended === 'well' ? 'none was written' : ended.badly}`);
  const tally = sumOf(report.testResults.map(tallyOfSuite));
  if (tally.passed + tally.failures.length === 0) {
    return sumOf([tally, failedOnce(tier, 'ran no test')]);
  }
  if (ended !== 'well' && tally.failures.length === 0) {
    return sumOf([tally, failedOnce(tier, `every test passed, and then the run ${ended.badly}`)]);
  }
  return tally;
}

function tallyOfSuite(suite: JestSuite): Tally {
  const tally = sumOf(suite.assertionResults.map((test) => tallyOfTest(suite, test)));
  const wasLoaded = suite.status !== 'failed' || tally.failures.length > 0;
  return wasLoaded ? tally : sumOf([tally, failedOnce(suite.name, suite.message)]);
}

function tallyOfTest(suite: JestSuite, test: JestTest): Tally {
  switch (test.status) {
    case 'passed':
      return passedOnce;
    case 'failed':
      return failedOnce(`${suite.name}: ${test.fullName}`, (test.failureMessages ?? []).join('\n'));
    default:
      return { ...nothing, skipped: [`${suite.name}: ${test.fullName}`] };
  }
}
