import type { Judgement } from '@compasso/testing';
import { endings } from './axes.ts';
import { reportInWords, reportOf } from './report.ts';
import type { Outcome } from './story.ts';

const addresses = { ledger: [], 'payout-gateway': [], 'transfer-tracker': [], 'provider-simulator': [] };
const outcome = (change: Partial<Outcome> = {}): Outcome => ({
  story: 'happy',
  transferId: 'one',
  transferIds: ['one'],
  ...endings.completed,
  complaints: [],
  remarks: [],
  traceId: 'abc',
  ok: true,
  ...change,
});
const judgement = (change: Partial<Judgement> = {}): Judgement => ({
  id: 1,
  name: 'books balance',
  checked: 3,
  violations: [],
  ok: true,
  ...change,
});

describe('the report of the demo', () => {
  it('says of each story how it ended, and nothing else', () => {
    expect(reportOf([outcome()], [judgement()], addresses)).toEqual({
      ok: true,
      stories: [{ story: 'happy', transferId: 'one', ...endings.completed, ok: true }],
      invariants: [judgement()],
      addresses,
    });
  });

  it.each([
    ['a story that ended otherwise', [outcome({ ok: false })], [judgement()]],
    ['an invariant that does not hold', [outcome()], [judgement({ ok: false })]],
    ['no story at all', [], [judgement()]],
    ['no judgement at all', [outcome()], []],
  ])('is not ok with %s', (_, outcomes, judgements) => {
    expect(reportOf(outcomes, judgements, addresses).ok).toBe(false);
  });

  it('shows the first ten violations in words', () => {
    const violations = Array.from({ length: 12 }, (_, at) => `violation ${at + 1}`);
    const report = reportOf([outcome()], [judgement({ ok: false, violations })], addresses);
    const text = reportInWords(report, [outcome()], 7).join('\n');
    expect(text).toContain('violation 10\n        and 2 more');
    expect(text).toContain('NOT everything ended as it should (7 s).');
  });
});
