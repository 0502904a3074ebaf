import { scoreView } from '../kafka/score-view.ts';
import {
  at,
  authorized,
  commandRefused,
  confirmed,
  event,
  given,
  outcomeUnknown,
  refused,
  rejected,
  released,
  requested,
  reserved,
  reviewRequired,
  settled,
  submitted,
} from './saga.fixture.ts';

const started = [reserved(1, 0), authorized(2, 0, { sendBefore: at(15) })];
const sent = [...started, submitted(1, 1, { reviewAt: at(90) })];

describe('the state of a saga', () => {
  it('a request alone has started, and nothing more', () => {
    expect(given(requested(0)).asOf(0)).toMatchObject({
      state: 'started',
      money: 'none',
      certainty: 'in_progress',
      attention: 'none',
      version: 1,
      next: { step: 'decide', owner: 'ledger', by: at(2) },
    });
  });

  it('a proven payout is not completed until the ledger has settled', () => {
    const proven = [...sent, confirmed(2, 3)];
    expect(given(...proven).asOf(3)).toMatchObject({ state: 'submitted', money: 'held' });
    expect(given(...proven, settled(3, 4)).asOf(4)).toMatchObject({
      state: 'completed',
      money: 'settled',
      certainty: 'confirmed',
      endedAt: at(4),
      next: null,
      lookAt: null,
    });
  });

  it('a rejection compensates, and has compensated once the ledger has released', () => {
    const failed = [...sent, rejected(2, 3, { reason: 'AC03' })];
    expect(given(...failed).asOf(3)).toMatchObject({ state: 'compensating', reason: 'AC03' });
    const undone = [...failed, released(3, 4, { reason: 'AC03' })];
    expect(given(...undone).asOf(4)).toMatchObject({
      state: 'compensated',
      money: 'released',
      reason: 'AC03',
    });
  });

  it('a refusal ends it with its reason', () => {
    expect(given(refused(1, 0, { reason: 'insufficient_funds' })).asOf(0)).toMatchObject({
      state: 'refused',
      money: 'none',
      certainty: 'confirmed',
      reason: 'insufficient_funds',
    });
  });

  it('an unknown outcome keeps the money on hold and says why', () => {
    const lost = [...started, outcomeUnknown(1, 1, { reason: 'timeout', reviewAt: at(90) })];
    expect(given(...lost).asOf(1)).toMatchObject({
      state: 'submitted',
      money: 'held',
      certainty: 'unknown',
      reason: 'timeout',
    });
  });

  it('a review needs a person, whatever the time', () => {
    const asked = [...sent, reviewRequired(2, 90, { reason: 'deadline_passed' })];
    expect(given(...asked).asOf(10_000)).toMatchObject({
      state: 'needs_review',
      money: 'held',
      certainty: 'unknown',
      attention: 'review',
      next: { step: 'review', owner: 'operator', by: null },
      lookAt: null,
    });
  });

  it('the highest sequence counts, whatever came last', () => {
    const early = given(confirmed(2, 3), submitted(1, 1), ...started).asOf(3);
    expect(early).toMatchObject({ state: 'submitted', certainty: 'confirmed' });
  });

  it('no event reopens a terminal state: a later word is a conflict', () => {
    const again = given(...sent, confirmed(2, 3), settled(3, 4), authorized(4, 5)).asOf(5);
    expect(again).toMatchObject({ state: 'completed', money: 'settled', attention: 'conflict' });
    expect(again.flags.afterTheEnd).toBe(true);
  });

  it('proof against proof is a conflict, never a transition', () => {
    const both = given(...sent, rejected(2, 3), released(3, 4), confirmed(3, 5)).asOf(5);
    expect(both).toMatchObject({ state: 'compensated', attention: 'conflict' });
  });

  it('two events under one sequence are flagged, and everybody believes the same one', () => {
    const [one, two] = [settled(3, 4), released(3, 4)];
    const view = given(...sent, one, two).asOf(4);
    expect(view).toMatchObject({ attention: 'conflict', state: 'completed' });
    expect(given(two, one, ...sent).asOf(4)).toEqual(view);
    expect(view.flags.sequenceConflict).toBe(true);
  });
});

describe('a command that was refused', () => {
  const first = requested(0);

  it('does not end the transfer that it names', () => {
    const foreign = requested(5);
    const refusal = commandRefused(foreign, 5, 'transfer_id_reused');
    const view = given(first, ...started, foreign, refusal).asOf(5);
    expect(view).toMatchObject({ state: 'funds_reserved', reason: null });
  });

  it('leaves a request without a next step: nobody is late with it', () => {
    const view = given(first, commandRefused(first, 1, 'account_not_allowed')).asOf(10_000);
    expect(view).toMatchObject({
      state: 'started',
      attention: 'none',
      next: null,
      reason: 'account_not_allowed',
    });
  });

  it('leaves its id free for a good request', () => {
    const refusal = commandRefused(first, 1, 'account_not_allowed');
    expect(given(first, refusal, requested(2)).asOf(2)).toMatchObject({
      reason: null,
      next: { step: 'decide', by: at(4) },
    });
  });
});

describe('late and stuck', () => {
  it.each([
    [14, 'none'],
    [15, 'none'],
    [16, 'late'],
    [44, 'late'],
    [45, 'stuck'],
  ])('a payout to be sent until minute 15 is, as of minute %s, %s', (minutes, attention) => {
    expect(given(...started).asOf(minutes).attention).toBe(attention);
  });

  it('says when to look again', () => {
    const looks = [0, 16, 45].map((minutes) => given(...started).asOf(minutes).lookAt);
    expect(looks).toEqual([at(16), at(45), null]);
  });

  it('follows the step: what was late is not late once it went on', () => {
    expect(given(...started).asOf(20).attention).toBe('late');
    expect(given(...sent).asOf(20)).toMatchObject({ attention: 'none', next: { by: at(90) } });
  });

  it.each([
    ['settle', confirmed(2, 3)],
    ['release', rejected(2, 3)],
  ])('waits for the ledger to %s', (step, outcome) => {
    const view = given(...sent, outcome).asOf(10);
    expect(view).toMatchObject({ attention: 'late', next: { step, owner: 'ledger', by: at(5) } });
  });

  it('a missing sequence is stuck after its limit, even when all seems well', () => {
    const gap = [reserved(1, 0), settled(3, 4), submitted(1, 1), confirmed(2, 3)];
    expect(given(...gap).asOf(8).attention).toBe('none');
    expect(given(...gap).asOf(9)).toMatchObject({ attention: 'stuck', state: 'completed' });
    expect(given(...gap, authorized(2, 0)).asOf(9).attention).toBe('none');
  });

  it('an event of an unknown type fills its place in the sequence', () => {
    const unknown = event({ origin: 'ledger', name: 'ledger.new', sequence: 2, at: at(0) });
    const view = given(reserved(1, 0), unknown, settled(3, 4)).asOf(60);
    expect(view.flags.gapSince).toBeNull();
  });
});

describe('off score', () => {
  it('is an event whose known cause cannot lead to it', () => {
    const request = requested(0);
    const good = reserved(1, 0, { cause: request.id });
    const odd = settled(2, 1, { cause: request.id });
    const view = given(request, good, odd).under({ score: scoreView });
    expect(view.flags.offScore).toEqual([odd.id]);
  });

  it('is an event that the score does not know, and nothing whose cause is not here yet', () => {
    const unknown = event({ origin: 'gateway', name: 'payout.new', sequence: 1 });
    const early = settled(2, 1, { cause: unknown.id });
    expect(given(unknown).under({ score: scoreView }).flags.offScore).toEqual([unknown.id]);
    expect(given(early).under({ score: scoreView }).flags.offScore).toEqual([]);
  });
});
