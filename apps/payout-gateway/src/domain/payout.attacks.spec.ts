// The schedules that would lose money, by the numbers of the attacks that found them.
import { centsOf } from '@compasso/kernel';
import { nextStepOf } from './payout.decide.ts';
import {
  accepted,
  answered,
  answeredWhileSlotFree,
  authorized,
  called,
  careful,
  failed,
  given,
  givenAt,
  minutes,
  notFound,
  paid,
  processing,
  refused,
  sent,
  tell,
  timedOut,
  timePassed,
  unsent,
  withProvider,
} from './payout.story.ts';

const graceEnd = 20 + 8 + 180;
const unknown = [authorized(), sent(0), called(8, timedOut)];
const sentAgain = [...unknown, answeredWhileSlotFree(graceEnd, notFound)];

describe('H1: a later refusal is no proof about an earlier call', () => {
  it('asks instead of releasing, and the first call turns out to have paid', () => {
    given(...sentAgain)
      .when(called(graceEnd + 1, refused, 2))
      .then(
        { type: 'AttemptClosed', outcome: 'rejected' },
        { type: 'OutcomeUnknown', cause: 'refusal_without_proof' },
      );
    given(...sentAgain, called(graceEnd + 1, refused, 2))
      .when(answered(graceEnd + 2, paid, { attempts: 2 }))
      .thenStatus('confirmed');
  });

  it('never sends a third time: a person looks', () => {
    given(...sentAgain, called(graceEnd + 1, refused, 2))
      .when(answeredWhileSlotFree(3 * graceEnd, notFound, 2))
      .then({ type: 'Answered' }, { type: 'ReviewRequired', kind: 'not_found' });
  });

  it('one attempt: a provider that keeps refused orders is asked, not believed', () => {
    const keeping = withProvider({ ...careful, refusedCallLeavesNothing: false });
    keeping(authorized(), sent(0), called(1, refused)).when(answered(2, processing)).thenStatus('submitted');
    keeping(authorized(), sent(0), called(1, refused)).when(answered(2, failed)).thenStatus('rejected');
  });

  it('after calls that were never sent, a refusal still is proof', () => {
    given(authorized(), sent(0), called(1, unsent), sent(6))
      .when(called(7, refused, 2))
      .thenStatus('rejected');
  });
});

describe('H2: the database forgot what it had sent', () => {
  it('no attempts and a passed deadline are not proof: the last question finds the order', () => {
    given(authorized())
      .when(answered(minutes(15), paid, { attempts: 0 }))
      .thenStatus('confirmed');
    given(authorized())
      .when(answered(minutes(15), processing, { attempts: 0 }))
      .thenStatus('submitted');
    given(authorized(), answered(minutes(15), processing, { attempts: 0 }))
      .when(answered(minutes(16), notFound, { attempts: 0 }))
      .thenStatus('submitted');
  });
});

describe('H4: the provider forgot', () => {
  it('an order that was accepted is never sent again, however long it is not found', () => {
    const { payout, events } = tell([
      authorized(),
      sent(0),
      called(1, accepted),
      ...[10, 300, 900, 3_600, 5_399].map((at) => answeredWhileSlotFree(at, notFound)),
      timePassed(5_400),
      answeredWhileSlotFree(7_000, notFound),
    ]);
    expect(events.filter(({ type }) => type === 'AttemptStarted')).toHaveLength(1);
    expect(payout.status).toBe('review');
  });

  it('an order that a question has shown is never sent again either', () => {
    given(...unknown, answered(20, processing))
      .when(answeredWhileSlotFree(graceEnd, notFound))
      .thenStatus('submitted');
  });

  it('not found is not believed while a known order is not found either', () => {
    given(...unknown)
      .when(answered(graceEnd, notFound))
      .thenStatus('unknown');
  });
});

describe('H5: a frozen sender, an open call', () => {
  it('the deadline does not strike while a call is open, and an expired call is unknown, not unsent', () => {
    given(authorized(), sent(minutes(15) - 1))
      .when(timePassed(minutes(15) + 7))
      .thenNothing();
    given(authorized(), sent(minutes(15) - 1))
      .when(timePassed(minutes(15) + 8))
      .thenStatus('unknown');
  });

  it('a question found nothing, then the frozen sender thaws: the payout was never released', () => {
    given(authorized(), sent(0), timePassed(28), answered(30, notFound))
      .when(called(60, accepted), answered(61, paid))
      .thenStatus('confirmed');
  });

  it('an open third call keeps rule (c) from holding', () => {
    const steps = [authorized(), sent(0), called(1, unsent), sent(10), called(11, unsent, 2), sent(890)];
    given(...steps)
      .when(answered(901, notFound, { attempts: 3 }))
      .thenStatus('sending');
  });
});

describe('H10: right id, wrong content', () => {
  it.each([
    ['amount_mismatch', { ...paid, amountCents: centsOf(150) }],
    ['destination_mismatch', { ...paid, destination: { keyType: 'cpf', keyMasked: '***111111**' } }],
    ['destination_mismatch', { ...paid, destination: { keyType: 'cnpj', keyMasked: '***982247**' } }],
    ['amount_mismatch', { ...failed, amountCents: centsOf(150) }],
    ['amount_mismatch', { ...processing, amountCents: undefined }],
  ] as const)('%s is for a person, never settled or released', (kind, answer) => {
    given(authorized(), sent(0), called(1, accepted))
      .when(answered(2, answer))
      .then({ type: 'Answered' }, { type: 'ReviewRequired', kind, from: 'submitted' });
  });

  it('does not open a second case, and nothing found afterwards releases', () => {
    const wrong = { ...paid, amountCents: centsOf(150) };
    given(authorized(), answered(901, wrong, { attempts: 0 }))
      .when(answered(1_900, wrong, { attempts: 0 }), answered(2_900, notFound, { attempts: 0 }))
      .thenStatus('review');
  });

  it('is not compared where the provider does not show it', () => {
    const blind = withProvider({ ...careful, showsAmount: false, showsDestination: false });
    blind(authorized(), sent(0), called(1, accepted))
      .when(answered(2, { kind: 'paid', endToEndId: 'E1' }))
      .thenStatus('confirmed');
  });
});

describe('H11: the approver sees A', () => {
  it('and nobody is ever paid when the sealed payee is B', () => {
    given(authorized(), sent(0), called(0, { kind: 'not_sent', cause: 'payee_mismatch' }))
      .when(sent(10), timePassed(minutes(15)))
      .thenNothing();
  });
});

describe('H12: an old authorisation comes back', () => {
  it('nothing is sent for the first time after sendBefore, whoever replays it', () => {
    const late = authorized(90 * 24 * 3_600);
    const { payout } = tell([late]);
    expect(nextStepOf(payout, givenAt(90 * 24 * 3_600))).toBe('ask');
    given(late)
      .when(sent(90 * 24 * 3_600))
      .thenNothing();
  });
});

describe('F-06: a timer fires for a payout that has ended', () => {
  it('changes nothing, whichever came first', () => {
    const before = [authorized(), sent(0), called(1, accepted)];
    given(...before, answered(minutes(90) - 1, paid))
      .when(timePassed(minutes(90)))
      .thenNothing();
    given(...before, timePassed(minutes(90)))
      .when(answered(minutes(90), paid))
      .thenStatus('confirmed');
  });
});
