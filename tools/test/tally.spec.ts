import { isGood, type JestReport, nothing, passedOnce, sumOf, summaryLine, tallyOfJest } from './tally.ts';

type Suite = JestReport['testResults'][number];
type Status = Suite['assertionResults'][number]['status'];

const aTest = (fullName: string, status: Status) => ({
  fullName,
  status,
  failureMessages: status === 'failed' ? ['expected 1, received 2'] : [],
});

const aSuite = (name: string, ...statuses: Status[]): Suite => ({
  name,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  message: '',
  assertionResults: statuses.map((status, n) => aTest(`holds ${n}`, status)),
});

const aReport = (...testResults: Suite[]): JestReport => ({ testResults });

describe('the tally of a jest run', () => {
  it('counts every test of every suite', () => {
    const tally = tallyOfJest('unit', aReport(aSuite('one', 'passed', 'passed'), aSuite('two', 'passed')), 'well');

    expect(summaryLine(tally)).toBe('3 passed, 0 failed, 0 skipped');
    expect(isGood(tally)).toBe(true);
  });

  it('names what failed and says why', () => {
    const report = aReport(aSuite('one', 'passed', 'failed'));
    const tally = tallyOfJest('unit', report, { badly: 'ended with 1' });

    expect(summaryLine(tally)).toBe('1 passed, 1 failed, 0 skipped');
    expect(tally.failures).toEqual([{ name: 'one: holds 1', detail: 'expected 1, received 2' }]);
  });

  it.each<Status>(['pending', 'skipped', 'todo', 'disabled'])('counts a %s test as skipped, which is not good', (status) => {
    const tally = tallyOfJest('unit', aReport(aSuite('one', 'passed', status)), 'well');

    expect(summaryLine(tally)).toBe('1 passed, 0 failed, 1 skipped');
    expect(isGood(tally)).toBe(false);
  });

  it('counts a suite that could not be loaded as a failure', () => {
    const broken: Suite = { name: 'broken', status: 'failed', message: 'cannot find module', assertionResults: [] };
    const tally = tallyOfJest('unit', aReport(aSuite('one', 'passed'), broken), { badly: 'ended with 1' });

    expect(tally.failures).toEqual([{ name: 'broken', detail: 'cannot find module' }]);
  });

  it('counts a suite whose clean-up failed after its tests as a failure', () => {
    const suite: Suite = { ...aSuite('one', 'passed'), status: 'failed', message: 'afterAll failed' };

    expect(summaryLine(tallyOfJest('unit', aReport(suite), { badly: 'ended with 1' }))).toBe(
      '1 passed, 1 failed, 0 skipped',
    );
  });

  it('counts a tier without tests as a failure', () => {
    expect(summaryLine(tallyOfJest('e2e', aReport(), 'well'))).toBe('0 passed, 1 failed, 0 skipped');
  });

  it('counts a tier whose every test is skipped as a failure too', () => {
    expect(summaryLine(tallyOfJest('e2e', aReport(aSuite('one', 'skipped')), 'well'))).toBe(
      '0 passed, 1 failed, 1 skipped',
    );
  });

  it('counts a run without a report as a failure', () => {
    expect(tallyOfJest('int', undefined, { badly: 'was stopped after 8 minutes' }).failures).toEqual([
      { name: 'int', detail: 'no report: was stopped after 8 minutes' },
    ]);
  });

  it('counts a bad end after good tests as a failure', () => {
    const tally = tallyOfJest('int', aReport(aSuite('one', 'passed')), { badly: 'ended with 1' });

    expect(summaryLine(tally)).toBe('1 passed, 1 failed, 0 skipped');
  });
});

describe('the sum of tallies', () => {
  it('of nothing is nothing', () => {
    expect(sumOf([])).toEqual(nothing);
  });

  it('adds numbers and keeps every failure', () => {
    const one = tallyOfJest('unit', aReport(aSuite('one', 'failed')), { badly: 'ended with 1' });
    const two = tallyOfJest('int', aReport(aSuite('two', 'failed', 'todo')), { badly: 'ended with 1' });

    expect(summaryLine(sumOf([one, passedOnce, two]))).toBe('1 passed, 2 failed, 1 skipped');
    expect(sumOf([one, two]).failures.map(({ name }) => name)).toEqual(['one: holds 0', 'two: holds 0']);
  });
});
