import {
  accepted,
  answered,
  answeredWhileSlotFree,
  asked,
  authorized,
  called,
  careful,
  caseId,
  endToEndId,
  failed,
  given,
  givenAt,
  hinted,
  minutes,
  noAnswer,
  notFound,
  paid,
  policy,
  processing,
  refused,
  second,
  sent,
  tell,
  timedOut,
  timePassed,
  unsent,
  withProvider,
} from './payout.story.ts';
import { nextStepOf } from './payout.decide.ts';

describe('authorisation', () => {
  it('queues a payout that is due at once', () => {
    given()
      .when(authorized())
      .then({ type: 'PayoutQueued', dueAt: second(0) });
  });

  it('says nothing when the ledger says it again, in every state', () => {
    given(authorized()).when(authorized(60)).thenNothing();
    given(authorized(), sent(1), called(2, accepted), answered(3, paid)).when(authorized(60)).thenNothing();
  });

  it('stops at another content under the same transfer', () => {
    const twice = () => tell([authorized(), authorized(1, { provider: 'reference', clientReference: 'x' })]);
    expect(twice).not.toThrow();
    const other = () =>
      tell([authorized(), authorized(1, { accountId: '01980000-0000-7000-8000-0000000000ff' })]);
    expect(other).toThrow('one content');
  });
});

describe('a call', () => {
  it('is committed with the instant until which its first byte may leave', () => {
    given(authorized())
      .when(sent(10))
      .then({
        type: 'AttemptStarted',
        attempt: 1,
        sendUntil: second(30),
        dueAt: second(38),
        reviewAt: second(10 + minutes(90)),
      });
  });

  it('leaves no later than the instruction permits', () => {
    given(authorized())
      .when(sent(minutes(15) - 5))
      .then({ type: 'AttemptStarted', sendUntil: second(minutes(15)) });
    given(authorized())
      .when(sent(minutes(15)))
      .thenNothing();
  });

  it('that was accepted is asked about soon', () => {
    given(authorized(), sent(0))
      .when(called(1, accepted))
      .then(
        { type: 'AttemptClosed', outcome: 'accepted' },
        { type: 'OrderAccepted', attempt: 1, dueAt: second(6) },
      );
  });

  it('whose answer says how the order ended is asked about at once: only a question proves that', () => {
    given(authorized(), sent(0))
      .when(called(1, { kind: 'accepted', isFinal: true }))
      .then({ type: 'AttemptClosed' }, { type: 'OrderAccepted', dueAt: second(1) });
  });

  it('that was refused for good, alone, is proof of not paid', () => {
    given(authorized(), sent(0))
      .when(called(1, refused))
      .then(
        { type: 'AttemptClosed', code: 'AC03' },
        { type: 'PayoutRejected', code: 'AC03', evidence: 'call_refused' },
      );
  });

  it('that was refused is a reason to ask where a refused call may leave an order behind', () => {
    withProvider({ ...careful, refusedCallLeavesNothing: false })(authorized(), sent(0))
      .when(called(1, refused))
      .then(
        { type: 'AttemptClosed' },
        { type: 'OutcomeUnknown', cause: 'refusal_without_proof', dueAt: second(1) },
      );
  });

  it('that was not sent goes back to the queue, by the plan of pauses or by the provider’s word', () => {
    given(authorized(), sent(0))
      .when(called(1, unsent))
      .then({ type: 'AttemptClosed', outcome: 'not_sent' }, { type: 'ReturnedToQueue', dueAt: second(6) });
    given(authorized(), sent(0))
      .when(called(1, { kind: 'not_sent', cause: 'too_many_requests', retryAfterMs: 30_000 }))
      .then({ type: 'AttemptClosed' }, { type: 'ReturnedToQueue', dueAt: second(31) });
  });

  it('that was not sent counts for nothing: clocks start with the first that may have left something', () => {
    const { payout } = tell([authorized(), sent(0), called(1, unsent), sent(10)]);
    expect(payout).toMatchObject({ firstAttemptAt: second(10), reviewAt: second(10 + minutes(90)) });
  });

  it('that timed out is unknown, not failed', () => {
    given(authorized(), sent(0))
      .when(called(8, timedOut))
      .then(
        { type: 'AttemptClosed', outcome: 'unknown' },
        { type: 'OutcomeUnknown', cause: 'timeout', dueAt: second(13) },
      );
  });

  it('whose id belongs to other content is asked about at once', () => {
    given(authorized(), sent(0))
      .when(called(1, { kind: 'already_exists' }))
      .then({ type: 'AttemptClosed' }, { type: 'OutcomeUnknown', cause: 'already_exists', dueAt: second(1) });
  });

  it('that nobody recorded is unknown once it can no longer be under way', () => {
    given(authorized(), sent(0)).when(timePassed(27)).thenNothing();
    given(authorized(), sent(0))
      .when(timePassed(28))
      .then(
        { type: 'AttemptClosed', outcome: 'unknown', cause: 'no_outcome_recorded' },
        { type: 'OutcomeUnknown', dueAt: second(28) },
      );
  });

  it('that was taken for lost may still tell how it ended', () => {
    given(authorized(), sent(0), timePassed(28))
      .when(called(40, accepted))
      .then({ type: 'AttemptClosed', outcome: 'accepted' }, { type: 'OrderAccepted' });
    given(authorized(), sent(0), timePassed(28))
      .when(called(40, unsent))
      .then({ type: 'AttemptClosed', outcome: 'not_sent' }, { type: 'ReturnedToQueue' });
    given(authorized(), sent(0), timePassed(28)).when(called(40, timedOut)).thenNothing();
  });

  it('ends once', () => {
    given(authorized(), sent(0), called(1, accepted)).when(called(2, refused)).thenNothing();
    given(authorized(), sent(0), called(1, unsent)).when(called(2, accepted)).thenNothing();
  });

  it('to a payee that is not what the approver saw ends the payout before anything is sent', () => {
    given(authorized(), sent(0))
      .when(called(0, { kind: 'not_sent', cause: 'payee_mismatch' }))
      .then(
        { type: 'AttemptClosed', outcome: 'not_sent' },
        { type: 'PayoutRejected', code: 'payee_mismatch' },
      );
  });

  it('to a payee that cannot be opened waits and is tried again', () => {
    given(authorized(), sent(0))
      .when(called(0, { kind: 'not_sent', cause: 'payee_unreadable' }))
      .then({ type: 'AttemptClosed' }, { type: 'ReturnedToQueue', cause: 'payee_unreadable' });
  });
});

describe('an answer', () => {
  const submitted = [authorized(), sent(0), called(1, accepted)];
  const unknown = [authorized(), sent(0), called(8, timedOut)];

  it('that says paid, with our amount and destination, is proof', () => {
    for (const before of [submitted, unknown]) {
      given(...before)
        .when(answered(20, paid))
        .then(
          { type: 'Answered', number: 1, answer: 'paid' },
          { type: 'PayoutConfirmed', endToEndId, evidence: 'query_paid' },
        );
    }
  });

  it('that says failed, by our id, is proof', () => {
    for (const before of [submitted, unknown]) {
      given(...before)
        .when(answered(20, failed))
        .then(
          { type: 'Answered', code: 'AC03' },
          { type: 'PayoutRejected', code: 'AC03', evidence: 'query_failed' },
        );
    }
  });

  it('that shows the order makes an unknown payout submitted', () => {
    given(...unknown)
      .when(answered(20, processing))
      .then({ type: 'Answered' }, { type: 'OrderAccepted', attempt: 1 });
  });

  it('is news when it changes and at checks 1, 2, 4, 8 …', () => {
    const steps = [1, 2, 3, 4, 5, 6, 7, 8].map((check) => answered(60 * check, processing));
    const news = tell([...submitted, ...steps]).events.flatMap((event) =>
      event.type === 'StillUndecided' ? [event.isNews] : [],
    );
    expect(news).toEqual([true, true, false, true, false, false, false, true]);
    given(...submitted, ...steps.slice(0, 2))
      .when(answered(200, notFound))
      .then({ type: 'Answered' }, { type: 'StillUndecided', isNews: true });
  });

  it('comes by the plan: 5 s, 10 s, then 30 s doubled, at most 15 min apart', () => {
    let at = 6;
    const pauses: number[] = [];
    let told = tell(submitted);
    while (pauses.length < 8) {
      const next = tell([answered(at, processing)], careful, told.payout).payout;
      const dueAt = (next as { dueAt: number }).dueAt;
      pauses.push((dueAt - second(at)) / 1_000);
      at = (dueAt - second(0)) / 1_000;
      told = { payout: next, events: [] };
    }
    expect(pauses).toEqual([10, 30, 60, 120, 240, 480, 900, 900]);
  });

  it('about an ended payout is kept and changes nothing', () => {
    given(...submitted, answered(2, paid))
      .when(answered(3, failed))
      .then({ type: 'Answered', number: 2 });
  });

  it('that finds nothing while the call is open waits for the call', () => {
    given(authorized(), sent(0), hinted(1), asked(1))
      .when(answered(2, notFound))
      .then({ type: 'Answered' }, { type: 'StillUndecided', isNews: false, dueAt: second(28) });
  });

  it('can prove paid while the call is open; how the call ended is then history', () => {
    given(authorized(), sent(0), hinted(1), asked(1), answered(2, paid))
      .when(called(3, accepted))
      .then({ type: 'AttemptClosed', outcome: 'accepted' });
  });
});

describe('not found', () => {
  const unknown = [authorized(), sent(0), called(8, timedOut)];
  const graceEnd = 20 + 8 + 180;

  it('means nothing within the grace, which counts from the end of the call', () => {
    given(...unknown)
      .when(answeredWhileSlotFree(graceEnd - 1, notFound))
      .then({ type: 'Answered' }, { type: 'StillUndecided', dueAt: second(graceEnd) });
  });

  it('is judged by when the question was put, not by when it was answered', () => {
    given(...unknown)
      .when(answered(graceEnd + 1, notFound, { putAt: graceEnd - 1 }))
      .then({ type: 'Answered' }, { type: 'StillUndecided' });
  });

  it('after the grace permits the same order once more, while a known order is visible', () => {
    given(...unknown)
      .when(answeredWhileSlotFree(graceEnd, notFound))
      .then(
        { type: 'Answered' },
        {
          type: 'AttemptStarted',
          attempt: 2,
          requestDigest: 'same-bytes',
          firstAttemptAt: second(0),
          reviewAt: second(minutes(90)),
        },
      );
    given(...unknown)
      .when(answered(graceEnd, notFound))
      .then({ type: 'Answered' }, { type: 'StillUndecided' });
  });

  it('calls a person where a repeat could pay twice', () => {
    withProvider({ ...careful, idempotencyMemoryMs: 0 })(...unknown)
      .when(answeredWhileSlotFree(graceEnd, notFound))
      .then({ type: 'Answered' }, { type: 'ReviewRequired', kind: 'not_found', caseId });
    withProvider({ ...careful, idempotencyMemoryMs: graceEnd * 1_000 })(...unknown)
      .when(answeredWhileSlotFree(graceEnd, notFound))
      .then({ type: 'Answered' }, { type: 'ReviewRequired' });
  });

  it('does not count when an attempt began after the question was put', () => {
    given(...unknown, answeredWhileSlotFree(graceEnd, notFound), called(graceEnd + 8, timedOut, 2))
      .when(answeredWhileSlotFree(graceEnd + 400, notFound, 1))
      .then({ type: 'Answered' }, { type: 'StillUndecided' });
  });
});

describe('sendBefore', () => {
  it('passed with nothing sent and nothing found: proof of not paid', () => {
    given(authorized(), sent(0), called(1, unsent), asked(900))
      .when(answered(900, notFound))
      .then(
        { type: 'Answered' },
        { type: 'PayoutRejected', code: 'send_before_passed', evidence: 'never_sent' },
      );
  });

  it('passed without any attempt still takes one last question', () => {
    expect(nextStepOf(tell([authorized()]).payout, givenAt(minutes(15)))).toBe('ask');
    given(authorized())
      .when(answered(900, notFound, { attempts: 0 }))
      .then({ type: 'Answered' }, { type: 'PayoutRejected', evidence: 'never_sent' });
  });

  it('passed, and the last question brought no answer: it is put again', () => {
    given(authorized())
      .when(answered(900, noAnswer, { attempts: 0 }))
      .then({ type: 'Answered' }, { type: 'StillUndecided', dueAt: second(910) });
  });

  it('passed where nobody can be asked: nothing sent is proof enough', () => {
    withProvider({ ...careful, queryableById: false })(authorized())
      .when(timePassed(900))
      .then({ type: 'PayoutRejected', code: 'send_before_passed' });
  });

  it('a question put before it proves nothing', () => {
    given(authorized())
      .when(answered(900, notFound, { attempts: 0, putAt: 899 }))
      .then({ type: 'Answered' }, { type: 'StillUndecided' });
  });
});

describe('the deadline', () => {
  const submitted = [authorized(), sent(0), called(1, accepted)];

  it('calls a person and keeps asking slowly', () => {
    given(...submitted)
      .when(timePassed(minutes(90)))
      .then({
        type: 'ReviewRequired',
        kind: 'deadline',
        from: 'submitted',
        caseId,
        dueAt: second(minutes(105)),
      });
    given(...submitted)
      .when(timePassed(minutes(90) - 1))
      .thenNothing();
  });

  it('is preceded by one more question', () => {
    expect(nextStepOf(tell(submitted).payout, givenAt(minutes(90)))).toBe('ask');
    given(...submitted)
      .when(answered(minutes(90), noAnswer))
      .then({ type: 'Answered' }, { type: 'ReviewRequired', kind: 'deadline', from: 'submitted' });
  });

  it('calls one person once', () => {
    given(...submitted, timePassed(minutes(90)))
      .when(timePassed(minutes(200)))
      .thenNothing();
  });

  it.each([
    [paid, 'PayoutConfirmed'],
    [failed, 'PayoutRejected'],
  ] as const)('is followed by late proof that closes the case', (answer, type) => {
    given(...submitted, timePassed(minutes(90)))
      .when(answered(minutes(105), answer))
      .then({ type: 'Answered' }, { type }, { type: 'ReviewClosed', caseId });
  });

  it('does not strike a call that is open', () => {
    const { payout } = tell([authorized(), sent(0), hinted(1)]);
    expect(nextStepOf(payout, givenAt(2))).toBe('ask');
  });

  it('lets no order be sent again', () => {
    const never = answeredWhileSlotFree(minutes(90) + 1, notFound);
    given(authorized(), sent(0), called(8, timedOut))
      .when(never)
      .then({ type: 'Answered' }, { type: 'ReviewRequired' });
  });
});

describe('a hint', () => {
  it('makes the next question due now, and nothing else', () => {
    given(authorized(), sent(0), called(1, accepted))
      .when(hinted(2))
      .then({ type: 'HintReceived', dueAt: second(2) });
    given(authorized(), sent(0), called(1, accepted), hinted(2)).when(hinted(2)).thenNothing();
  });

  it('changes nothing before sending and after the end', () => {
    given(authorized(0)).when(hinted(0)).thenNothing();
    given(authorized(), sent(0), called(1, accepted), answered(2, paid)).when(hinted(3)).thenNothing();
  });

  it('that came before the answer to the call is not lost', () => {
    given(authorized(), sent(0), hinted(1))
      .when(called(2, accepted))
      .then({ type: 'AttemptClosed' }, { type: 'OrderAccepted', dueAt: second(1) });
  });

  it('that comes while a question is under way waits for its answer', () => {
    const asking = [authorized(), sent(0), called(1, accepted), hinted(2), asked(2)];
    const leaseEnd = second(2 + policy.questionLeaseMs / 1_000);
    expect(tell([...asking, hinted(3)]).payout).toMatchObject({ dueAt: leaseEnd, question: 'hinted' });
    given(...asking, hinted(3))
      .when(hinted(4))
      .thenNothing();
    given(...asking, hinted(3))
      .when(answered(4, paid))
      .thenStatus('confirmed');
    given(...asking, hinted(3))
      .when(answered(4, processing))
      .then({ type: 'Answered' }, { type: 'StillUndecided', dueAt: second(4) });
    given(...asking)
      .when(answered(4, processing))
      .then({ type: 'Answered' }, { type: 'StillUndecided', dueAt: second(14) });
  });

  it('is not lost with a replica that was asking', () => {
    const { payout } = tell([authorized(), sent(0), called(1, accepted), hinted(2), asked(2), hinted(3)]);
    expect(nextStepOf(payout, givenAt(2 + policy.questionLeaseMs / 1_000))).toBe('ask');
  });
});
