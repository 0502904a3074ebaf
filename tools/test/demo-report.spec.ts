import { tallyOfDemo } from './demo-report.ts';
import { summaryLine } from './tally.ts';

const aReport = (changes: object = {}) => ({
  ok: true,
  stories: [{ story: 'happy', ok: true }],
  invariants: [{ id: 1, name: 'postings sum to zero', checked: 12, violations: 0, ok: true }],
  ...changes,
});

const summaryOf = (report: object, exitCode = 0): string => summaryLine(tallyOfDemo(JSON.stringify(report), exitCode));

describe('the tally of the demo', () => {
  it('counts stories, invariants and the whole', () => {
    expect(summaryOf(aReport())).toBe('3 passed, 0 failed, 0 skipped');
  });

  it('counts a story that ended otherwise, and the whole with it', () => {
    expect(summaryOf(aReport({ ok: false, stories: [{ story: 'happy', ok: false }] }), 1)).toBe(
      '1 passed, 2 failed, 0 skipped',
    );
  });

  it('does not believe an invariant that checked nothing', () => {
    const invariants = [{ id: 1, name: 'postings sum to zero', checked: 0, violations: 0, ok: true }];

    expect(summaryOf(aReport({ invariants }))).toBe('1 passed, 2 failed, 0 skipped');
  });

  it('does not believe a report when the exit code says otherwise', () => {
    expect(summaryOf(aReport(), 1)).toBe('2 passed, 1 failed, 0 skipped');
  });

  it('does not believe a report that is not ok', () => {
    expect(summaryOf(aReport({ ok: false }))).toBe('2 passed, 1 failed, 0 skipped');
  });

  it('does not believe a report without stories', () => {
    expect(summaryOf(aReport({ stories: [] }))).toBe('1 passed, 1 failed, 0 skipped');
  });

  it.each([['nothing', ''], ['a banner', '> demo\n{}'], ['something else', '{"ok":true}']])(
    'fails when %s was printed',
    (_, printed) => {
      expect(summaryLine(tallyOfDemo(printed, 0))).toBe('0 passed, 1 failed, 0 skipped');
    },
  );
});
