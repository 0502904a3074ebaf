import type { StatusChange } from '../client/status-feed.ts';
import { endings } from './axes.ts';
import { screenOn, timelineInWords } from './screen.ts';

function setup() {
  const lines: string[] = [];
  return { lines, screen: screenOn((line) => lines.push(line), performance.now()) };
}

const change = (clientReference: string, words: object = endings.completed) =>
  ({ transferId: 'one', status: { clientReference, ...words } }) as StatusChange;

describe('the screen', () => {
  it('tells each move of a transfer', () => {
    const { lines, screen } = setup();
    screen.move(change('happy', { state: 'funds_reserved', money: 'held', certainty: 'in_progress', attention: 'none' }));
    screen.move(change('happy'));
    expect(lines.map((line) => line.replace(/^ *[\d.]+ s +/, ''))).toEqual([
      expect.stringMatching(/^happy +one +funds_reserved +held +in_progress$/),
      expect.stringMatching(/^happy +one +completed +settled +confirmed$/),
    ]);
  });

  it('tells only the ends of a crowd', () => {
    const { lines, screen } = setup();
    screen.move(change('killed-ledger/7', { ...endings.completed, state: 'submitted' }));
    screen.move(change('killed-ledger/7'));
    expect(lines).toHaveLength(1);
  });

  it('tells what a story found', () => {
    const { lines, screen } = setup();
    const shown = { story: 'happy', transferId: 'one', transferIds: ['one'], ...endings.completed };
    screen.outcome({ ...shown, ok: false, complaints: ['two orders'], remarks: ['killed pid 7'] });
    expect(lines.join('\n')).toMatch(/FAIL happy: completed, settled, confirmed\n.*killed pid 7\n.*two orders$/);
  });
});

describe('a timeline', () => {
  it('shows when, who, what, why and what is undone', () => {
    const step = { eventId: 'a', at: '', answers: {}, offScore: false };
    const lines = timelineInWords([
      { ...step, service: 'ledger', event: 'ledger.funds-reserved', publishedAt: '2026-01-01T00:00:00.000Z' },
      {
        ...step,
        service: 'ledger',
        event: 'ledger.funds-released',
        publishedAt: '2026-01-01T00:00:01.250Z',
        answers: { reason: 'AC03' },
        undoes: { event: 'ledger.funds-reserved' },
      },
    ]);
    expect(lines[0]).toMatch(/\+0\.000 s {2}ledger +ledger\.funds-reserved$/);
    expect(lines[1]).toMatch(/\+1\.250 s {2}ledger +ledger\.funds-released +AC03 +undoes ledger\.funds-reserved$/);
  });

  it('of nothing is empty', () => {
    expect(timelineInWords([])).toEqual([]);
  });
});
