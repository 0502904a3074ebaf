import {
  accepted,
  answered,
  asked,
  authorized,
  called,
  cancelled,
  careful,
  failed,
  given,
  notFound,
  paid,
  processing,
  sent,
  timedOut,
  timePassed,
  unsent,
  withProvider,
} from './payout.story.ts';

describe('a payout that is cancelled', () => {
  it('while it waits is given up at once, and the last question makes it a proof', () => {
    const waiting = given(authorized());
    waiting.when(cancelled(5)).then({ type: 'PayoutCancelled' });
    const asking = given(authorized(), cancelled(5), asked(6));
    asking.when(answered(6, notFound, { attempts: 0 })).then(
      { type: 'Answered' },
      { type: 'PayoutRejected', code: 'cancelled_by_requester', evidence: 'never_sent' },
    );
  });

  it('is not sent any more, and a second cancellation says nothing new', () => {
    given(authorized(), cancelled(5)).when(sent(6)).thenNothing();
    given(authorized(), cancelled(5)).when(cancelled(6)).thenNothing();
  });

  it('needs an answer that was asked for after it: an earlier one proves nothing (H2)', () => {
    const early = given(authorized(), sent(1), called(2, unsent), cancelled(9));
    early.when(answered(10, notFound, { putAt: 8 })).thenStatus('queued');
    early.when(answered(10, notFound, { putAt: 9 })).thenStatus('rejected');
  });

  it('is paid all the same when the last question finds it paid', () => {
    given(authorized(), cancelled(5), asked(6))
      .when(answered(6, paid, { attempts: 0 }))
      .thenStatus('confirmed');
  });

  it('ends without a question where the provider cannot be asked', () => {
    const mute = withProvider({ ...careful, queryableById: false });
    mute(authorized(), cancelled(5)).when(timePassed(5)).thenStatus('rejected');
  });

  it('after a call that did not leave can still be given up', () => {
    given(authorized(), sent(1), called(2, unsent)).when(cancelled(3)).then({ type: 'PayoutCancelled' });
  });

  it.each([
    ['while the order is being sent', [sent(1)], 'sending'],
    ['once the provider has the order', [sent(1), called(2, accepted)], 'submitted'],
    ['while nobody knows', [sent(1), called(2, timedOut)], 'outcome_unknown'],
    ['once it is paid', [sent(1), called(2, accepted), asked(3), answered(4, paid)], 'already_paid'],
  ] as const)('%s goes on', (_, before, reason) => {
    given(authorized(), ...before)
      .when(cancelled(5))
      .then({ type: 'CancelRefused', reason });
  });

  it('says nothing when it was rejected anyway', () => {
    given(authorized(), sent(1), called(2, accepted), asked(3), answered(4, failed))
      .when(cancelled(5))
      .thenNothing();
  });

  it('never sends again what turns out to be somebody else’s order', () => {
    const found = given(authorized(), cancelled(5), asked(6), answered(6, processing, { attempts: 0 }));
    found.when(cancelled(7)).then({ type: 'CancelRefused', reason: 'submitted' });
  });
});
