import { centsOf, evolveAll, type Instant, instantOf } from '@compasso/kernel';
import { magicAmount, type FaultRule } from './choose-fault.ts';
import type { FaultName } from './fault-catalogue.ts';
import { type Answer, end, query, submit, type SubmitPayout } from './payout.decide.ts';
import { evolve, type Order, type Payout, type PayoutEvent, unseenPayout } from './payout.ts';

const payoutId = '01980000-0000-7000-8000-00000000000a';
const at = (milliseconds: number): Instant => instantOf(1_800_000_000_000 + milliseconds);

function asking(fault: FaultName = 'none', differs: Partial<SubmitPayout> = {}): SubmitPayout {
  const amountCents = fault === 'none' ? centsOf(15_000) : magicAmount(fault, centsOf(15_000));
  return {
    payoutId,
    amountCents,
    keyType: 'CPF',
    key: '52998224725',
    requestDigest: 'first',
    ...differs,
  };
}

/** Given a history, when a call or an end comes, then these events and this answer. */
function given(...history: readonly PayoutEvent[]) {
  const payout = evolveAll(evolve, unseenPayout, history);
  let drawn = 0;
  const newId = () => `00000000-0000-4000-8000-${String((drawn += 1)).padStart(12, '0')}`;
  return {
    whenSubmitted(
      request: SubmitPayout,
      now = at(0),
      rules: readonly FaultRule[] = [],
      timeScale = 1,
    ) {
      const decision = submit(request, payout, { now, newId, timeScale, rules });
      return { ...decision, payout: evolveAll(evolve, payout, decision.events) };
    },
    whenQueried: (now = at(0)) => query(payout, now),
    whenItsInstantComes(timeScale = 1) {
      const order = orderOf(payout);
      if (order.progress.status !== 'processing' || !order.progress.due) return [];
      return end(order, order.progress.due.ending, {
        now: order.progress.due.at,
        newId,
        timeScale,
      });
    },
  };
}

const orderOf = (payout: Payout): Order => {
  if (payout.situation !== 'ordered') throw new TypeError('expected an order');
  return payout.order;
};

/** The history of a payout whose PUT came at 0 and was accepted. */
const accepted = (fault: FaultName = 'none', timeScale = 1): PayoutEvent =>
  given().whenSubmitted(asking(fault), at(0), [], timeScale).events[0] as PayoutEvent;

const word = (answer: Answer): string =>
  answer.kind === 'order' || answer.kind === 'refusal' ? String(answer.status) : answer.kind;

describe('a submission', () => {
  it('is accepted as processing, and paid 50 ms later', () => {
    const { answer, payout } = given().whenSubmitted(asking());
    expect(answer).toMatchObject({ kind: 'order', status: 201, afterMs: 0 });
    expect(orderOf(payout)).toMatchObject({
      amountCents: 15_000n,
      keyMasked: '***982247**',
      progress: { status: 'processing', due: { at: at(50), ending: { status: 'paid' } } },
    });
    expect(orderOf(payout).endToEndId).toMatch(/^E99999123\d{12}[a-z0-9]{11}$/);
  });

  it('keeps the end-to-end id that it is given', () => {
    const endToEndId = 'E12345678202601011200abcdefghijk';
    const { payout } = given().whenSubmitted(asking('none', { endToEndId }));
    expect(orderOf(payout).endToEndId).toBe(endToEndId);
  });

  it('said again is the same order, and changes nothing', () => {
    const before = accepted();
    const { answer, events, payout } = given(before).whenSubmitted(asking(), at(900));
    expect(events).toEqual([]);
    expect(answer).toMatchObject({ kind: 'order', status: 200, order: orderOf(payout) });
  });

  it('with other content under the same id is a conflict, and leaves the first order alone', () => {
    const { answer, events } = given(accepted()).whenSubmitted(
      asking('none', { requestDigest: 'second' }),
    );
    expect(events).toEqual([]);
    expect(answer).toEqual({ kind: 'refusal', status: 409, code: 'id_conflict' });
  });

  it('multiplies durations by the time scale', () => {
    const { payout } = given().whenSubmitted(asking('pending-then-confirmed'), at(0), [], 0.1);
    expect(orderOf(payout).progress).toMatchObject({ due: { at: at(2_000) } });
  });
});

describe('faults before acceptance', () => {
  it.each([
    ['error-before-accept', ['500', '201']],
    ['reset-before-accept', ['reset', '201']],
    ['never-seen-resubmitted', ['silence', '201']],
    ['never-seen-thrice', ['silence', 'silence', 'silence', '201']],
    ['never-accepted', ['silence', 'silence', 'silence', 'silence', 'silence']],
    ['too-many-requests', ['429', '429', '201']],
    ['unauthorized-once', ['401', '201']],
    ['refused-ac03', ['422', '422']],
  ] as const)('%s answers %j', (fault, answers) => {
    const history: PayoutEvent[] = [];
    for (const expected of answers) {
      const beforehand = given(...history);
      expect(word(beforehand.whenQueried())).toBe('404');
      const { answer, events } = beforehand.whenSubmitted(asking(fault));
      expect(word(answer)).toBe(expected);
      history.push(...events);
    }
  });

  it('refuses with the code of SPI', () => {
    expect(given().whenSubmitted(asking('refused-frad')).answer).toMatchObject({
      status: 422,
      code: 'FRAD',
    });
  });

  it('says when to come again', () => {
    expect(given().whenSubmitted(asking('too-many-requests')).answer).toMatchObject({
      retryAfterSeconds: 1,
    });
  });

  it('keeps the fault that was drawn at the first call, whatever a later one asks', () => {
    const { events } = given().whenSubmitted(asking('never-seen-thrice'));
    const later = given(...events).whenSubmitted(asking('none'));
    expect(later.answer).toEqual({ kind: 'silence' });
  });
});

describe('faults of the answer', () => {
  it.each([
    ['slow-answer', 'order'],
    ['accepted-then-timeout', 'silence'],
    ['reset-after-accept', 'reset'],
    ['error-after-accept', 'refusal'],
    ['unreadable-answer', 'unreadable'],
  ] as const)(
    '%s accepts and answers with %s; a query and a repeat then see the order',
    (fault, kind) => {
      const { answer, events } = given().whenSubmitted(asking(fault));
      expect(events.map(({ type }) => type)).toEqual(['OrderAccepted']);
      expect(answer.kind).toBe(kind);
      expect(word(given(...events).whenQueried())).toBe('200');
      expect(word(given(...events).whenSubmitted(asking(fault)).answer)).toBe('200');
    },
  );
});

describe('an order', () => {
  it('is paid once, with one notification', () => {
    const [paid, notified, ...more] = given(accepted()).whenItsInstantComes();
    expect(paid).toMatchObject({ type: 'OrderPaid', at: at(50) });
    expect(notified).toMatchObject({
      type: 'NotificationPlanned',
      notification: {
        payoutId,
        claims: 'paid',
        signature: 'right',
        dueAt: at(50),
        occurredAt: at(50),
      },
    });
    expect(more).toEqual([]);
    expect(given(accepted(), paid as PayoutEvent).whenItsInstantComes()).toEqual([]);
  });

  it('that has ended is not ended again by an operator', () => {
    const history = [accepted(), ...given(accepted()).whenItsInstantComes()];
    const order = orderOf(evolveAll(evolve, unseenPayout, history));
    const again = end(
      order,
      { status: 'failed', code: 'AC03' },
      { now: at(99), newId: () => '', timeScale: 1 },
    );
    expect(again).toEqual([]);
  });

  it.each([
    ['rejected-ac03', 'AC03'],
    ['rejected-be01', 'BE01'],
    ['rejected-after-timeout', 'AC03'],
  ] as const)('of %s fails with %s', (fault, code) => {
    expect(given(accepted(fault)).whenItsInstantComes()[0]).toMatchObject({
      type: 'OrderFailed',
      code,
    });
  });

  it('of deadline-review never ends', () => {
    const later = given(accepted('deadline-review'));
    expect(later.whenItsInstantComes()).toEqual([]);
    expect(later.whenQueried(at(10 ** 10))).toMatchObject({
      order: { progress: { status: 'processing' } },
    });
  });

  it('of silent-for-ever is never spoken of', () => {
    const later = given(accepted('silent-for-ever'));
    expect(later.whenQueried(at(10 ** 10))).toEqual({ kind: 'silence' });
    expect(later.whenSubmitted(asking('silent-for-ever')).answer).toEqual({ kind: 'silence' });
  });

  it('of not-found-for-a-while is found later', () => {
    const later = given(accepted('not-found-for-a-while'));
    expect(word(later.whenQueried(at(19_999)))).toBe('404');
    expect(word(later.whenQueried(at(20_000)))).toBe('200');
    expect(word(later.whenSubmitted(asking('not-found-for-a-while'), at(1)).answer)).toBe('200');
  });
});

describe('notifications', () => {
  const notificationsOf = (fault: FaultName, timeScale = 1) =>
    given(accepted(fault, timeScale))
      .whenItsInstantComes(timeScale)
      .flatMap((event) => (event.type === 'NotificationPlanned' ? [event.notification] : []));

  it('come late, scaled', () => {
    expect(notificationsOf('webhook-late').map(({ dueAt }) => dueAt)).toEqual([at(30_050)]);
    expect(notificationsOf('webhook-late', 0.1).map(({ dueAt }) => dueAt)).toEqual([at(3_005)]);
  });

  it('get lost', () => {
    expect(notificationsOf('webhook-lost')).toEqual([]);
  });

  it('come twice under one event id, as two deliveries', () => {
    const [first, second, ...more] = notificationsOf('webhook-doubled');
    expect(more).toEqual([]);
    expect(second?.eventId).toBe(first?.eventId);
  });

  it('are forged: bad signatures, and a lie with a good one', () => {
    const forged = notificationsOf('webhook-doubled-forged').slice(2);
    expect(forged.map(({ claims, signature }) => [claims, signature])).toEqual([
      ['paid', 'wrong'],
      ['failed', 'wrong'],
      ['failed', 'stale'],
      ['failed', 'right'],
    ]);
    expect(new Set(forged.map(({ eventId }) => eventId)).size).toBe(4);
  });

  it('come out of order', () => {
    const [truth, older] = notificationsOf('webhook-out-of-order');
    expect([truth?.claims, older?.claims]).toEqual(['paid', 'processing']);
    expect(older?.occurredAt).toBeLessThan(truth?.occurredAt ?? 0);
  });

  it('continue the trace of the call that created the order', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { events } = given().whenSubmitted(asking('none', { traceparent }));
    expect(given(...events).whenItsInstantComes()[1]).toMatchObject({
      notification: { traceparent },
    });
  });
});
