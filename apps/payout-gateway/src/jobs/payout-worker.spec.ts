// The worker over the in-memory twins: every schedule in which a call, a crash, a freeze or a stop falls between two commits.
import { eventLogTable } from '@compasso/messaging';
import { eventually } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import { payoutTable, queryAnswerTable } from '../postgres/tables.ts';
import { claimWork } from './claim-work.ts';
import {
  manualClock,
  type PayeeKeys,
  payeeKeys,
  type WorldOptions,
} from './gateway-world.story.ts';
import { recordFacts } from './record-facts.ts';
import { sendPayout } from './send-payout.ts';
import { minutes, seconds, workerWorld } from './worker-world.story.ts';

let keys: PayeeKeys;
beforeAll(async () => {
  keys = await payeeKeys();
});
const setup = (options: Partial<WorldOptions> = {}) => workerWorld(keys, options);

describe('a payout that goes well', () => {
  it('costs one call and one question, and is told once', async () => {
    const { authorized, provider, turn, clock, names, payout, arrived, published } = setup();
    const id = await authorized();
    expect(payout(id).state).toBe('queued');
    await turn();
    expect(payout(id)).toMatchObject({ state: 'submitted', attempt: 1 });
    provider.end(id, { status: 'paid' });
    clock.pass(5 * seconds);
    await turn();
    expect(payout(id)).toMatchObject({ state: 'confirmed', dueAt: null, checks: 1, evidence: 'query_paid' });
    expect(names(id)).toEqual(['payout.submitted', 'payout.confirmed']);
    expect(published(id)).toMatchObject([
      { attempt: 1, provider: 'memory', providerOrderId: id, after: 'submitted' },
      { amountCents: 15_000, after: 'confirmed', endToEndId: payout(id).endToEndId },
    ]);
    expect([arrived(id, 'submit').length, arrived(id, 'query').length]).toEqual([1, 1]);
    clock.pass(10 * minutes);
    await turn();
    expect(arrived(id, 'query')).toHaveLength(1);
  });

  it('is one payout however often the ledger says it', async () => {
    const { authorize, turn, arrived, unitOfWork } = setup();
    const transferId = uuidv7();
    const payee = await keys.seal({ keyType: 'cpf', key: '52998224725' });
    await authorize({ transferId, payee }, { transferId, payee });
    await turn();
    await authorize({ transferId, payee });
    await turn();
    expect(unitOfWork.rowsOf(payoutTable)).toHaveLength(1);
    expect(arrived(transferId, 'submit')).toHaveLength(1);
  });
});

describe('H29: no intent beyond the free slots', () => {
  it('claims as many as can be sent, and leaves the others in the queue', async () => {
    const { authorize, worker, unitOfWork } = setup({ submitsMax: 3 });
    await authorize(...Array.from({ length: 10 }, () => ({ transferId: uuidv7() })));
    await worker.turn();
    const states = unitOfWork.rowsOf(payoutTable).map(({ state }) => state);
    expect(states.filter((state) => state === 'sending')).toHaveLength(3);
    expect(states.filter((state) => state === 'queued')).toHaveLength(7);
    await worker.settled();
  });

  it('looks for new ones alone when told so, and for all others otherwise', async () => {
    const { authorized, turn, worker, clock, arrived } = setup();
    const id = await authorized();
    await turn();
    clock.pass(5 * seconds);
    expect(await worker.turn('new')).toMatchObject({ questions: [], leavesOld: false });
    expect((await worker.turn())?.questions).toHaveLength(1);
    await worker.settled();
    expect(arrived(id, 'query')).toHaveLength(1);
  });

  it('asks about old ones while new ones keep every look full', async () => {
    const ticking = manualClock();
    const pause = async (ms: number) => {
      ticking.pass(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    const { authorize, authorized, turn, worker, payout, arrived, provider } = setup({
      clock: ticking,
      pause,
      submitsMax: 1,
    });
    const id = await authorized();
    await turn();
    // More looks than five seconds hold, and each is filled by a new one.
    await authorize(...Array.from({ length: 600 }, () => ({ transferId: uuidv7() })));
    provider.end(id, { status: 'paid' });
    worker.start();
    await eventually(async () => payout(id).state === 'confirmed', { because: 'it is asked about' });
    expect(arrived(id, 'query')).toHaveLength(1);
    expect(provider.arrived.length).toBeLessThan(500);
    await worker.stop();
  });

  it('gives back what had not begun when it is told to stop', async () => {
    const { authorized, worker, payout, attempts, provider, names } = setup();
    const id = await authorized();
    await Promise.all([worker.turn(), worker.stop()]);
    await worker.settled();
    expect(provider.arrived).toEqual([]);
    expect(payout(id)).toMatchObject({ state: 'queued', firstAttemptAt: null });
    expect(attempts(id)).toMatchObject([{ outcome: 'not_sent', cause: 'stopped' }]);
    expect(names(id)).toEqual([]);
  });
});

describe('H5: a frozen sender', () => {
  it.each([
    ['for longer than its window', (clock: ReturnType<typeof manualClock>) => clock.pass(20 * seconds)],
    [
      'while the machine was suspended',
      (clock: ReturnType<typeof manualClock>) => clock.suspend(20 * seconds),
    ],
    [
      'while its wall clock was set back',
      (clock: ReturnType<typeof manualClock>) => {
        clock.pass(20 * seconds);
        clock.setWall(-3_600 * seconds);
      },
    ],
  ])('puts no byte on the wire after it was frozen %s', async (_how, freeze) => {
    const { authorized, parts, clock, provider } = setup();
    await authorized();
    const { calls } = await claimWork({ submits: 1, queries: 0, isClosed: false }, parts);
    freeze(clock);
    const { outcome } = await sendPayout(calls[0]!, { ...parts, isStopping: () => false });
    expect(outcome).toEqual({ kind: 'not_sent', cause: 'send_window_passed' });
    expect(provider.arrived).toEqual([]);
  });

  it('is taken for unknown by everybody else, and its late truth still counts', async () => {
    const { authorized, parts, clock, turn, payout, names, attempts } = setup();
    const transferId = await authorized();
    const { calls } = await claimWork({ submits: 1, queries: 0, isClosed: false }, parts);
    clock.pass(28 * seconds);
    await turn();
    expect(payout(transferId).state).toBe('unknown');
    const outcome = { kind: 'not_sent', cause: 'send_window_passed' } as const;
    const attempt = calls[0]!.attempt.attempt;
    await recordFacts([{ transferId, command: { type: 'RecordOutcome', attempt, outcome } }], parts);
    expect(payout(transferId)).toMatchObject({ state: 'queued', firstAttemptAt: null });
    expect(attempts(transferId)).toMatchObject([{ outcome: 'not_sent' }]);
    expect(names(transferId)).toEqual(['payout.outcome-unknown']);
  });
});

describe('a crash between the commit of a call and its record', () => {
  it('leaves an unknown payout that is asked about, and is confirmed when it had gone out', async () => {
    const { authorized, parts, clock, turn, payout, provider, names } = setup();
    const id = await authorized();
    const { calls } = await claimWork({ submits: 1, queries: 0, isClosed: false }, parts);
    await sendPayout(calls[0]!, { ...parts, isStopping: () => false });
    provider.end(id, { status: 'paid' });
    clock.pass(27 * seconds);
    await turn();
    expect(payout(id).state).toBe('sending');
    clock.pass(1 * seconds);
    await turn();
    await turn();
    expect(payout(id).state).toBe('confirmed');
    expect(names(id)).toEqual(['payout.outcome-unknown', 'payout.confirmed']);
    expect(provider.orderCount(id)).toBe(1);
  });
});

describe('D-07, F-01: a call without an answer', () => {
  it.each(['silence_after', 'error_after', 'reset_after', 'unreadable_after'] as const)(
    'that the provider took is confirmed by a question, once: %s',
    async (fault) => {
      const { authorized, provider, turn, clock, payout, names } = setup();
      const id = await authorized();
      provider.befall(id, fault);
      provider.plan(id, { status: 'paid' });
      await turn();
      expect(payout(id).state).toBe('unknown');
      clock.pass(5 * seconds);
      await turn();
      expect(names(id)).toEqual(['payout.outcome-unknown', 'payout.confirmed']);
      expect(provider.orderCount(id)).toBe(1);
    },
  );

  it('that the provider never saw is sent again: same id, same bytes, while a known order is visible', async () => {
    const { authorized, somePaid, provider, turn, clock, payout, names, arrived } = setup();
    await somePaid();
    const id = await authorized();
    provider.befall(id, 'silence_before');
    provider.plan(id, { status: 'paid' });
    await turn();
    for (let at = 0; at < 300; at += 5) {
      clock.pass(5 * seconds);
      await turn();
    }
    expect(payout(id)).toMatchObject({ state: 'confirmed', attempt: 2 });
    const digests = arrived(id, 'submit').map(({ digest }) => digest);
    expect(digests).toEqual([digests[0], digests[0]]);
    expect(names(id)).toEqual([
      'payout.outcome-unknown',
      'payout.checked',
      'payout.checked',
      'payout.checked',
      'payout.submitted',
      'payout.confirmed',
    ]);
  });

  it('H4: is not sent again while the provider does not show an order that exists', async () => {
    const { authorized, somePaid, provider, turn, clock, payout, published, arrived } = setup();
    const known = await somePaid();
    provider.hide(known, true);
    const id = await authorized();
    provider.befall(id, 'silence_before');
    for (let at = 0; at < 95; at += 1) {
      await turn();
      clock.pass(1 * minutes);
    }
    expect(arrived(id, 'submit')).toHaveLength(1);
    expect(payout(id).state).toBe('review');
    expect(published(id).at(-1)).toMatchObject({
      type: 'payout.review-required',
      kind: 'deadline',
      after: 'review',
    });
  });

  it('is not sent again where nothing is known to exist', async () => {
    const { authorized, provider, turn, clock, arrived, payout } = setup();
    const id = await authorized();
    provider.befall(id, 'silence_before');
    for (let at = 0; at < 10; at += 1) {
      await turn();
      clock.pass(1 * minutes);
    }
    expect(arrived(id, 'submit')).toHaveLength(1);
    expect(payout(id).state).toBe('unknown');
  });
});

describe('sendBefore', () => {
  it('H12: nothing leaves after it, and one last question makes the rejection a proof', async () => {
    const { authorized, turn, clock, payout, names, arrived } = setup();
    const id = await authorized({ sendWithinMs: 1_000 });
    clock.pass(1_000);
    await turn();
    expect(payout(id)).toMatchObject({
      state: 'rejected',
      outcomeCode: 'send_before_passed',
      evidence: 'never_sent',
    });
    expect(names(id)).toEqual(['payout.rejected']);
    expect([arrived(id, 'submit').length, arrived(id, 'query').length]).toEqual([0, 1]);
  });

  it('H2: the last question finds what a forgetful database had sent', async () => {
    const { authorized, turn, clock, payout, provider } = setup();
    const id = await authorized({ sendWithinMs: 1_000 });
    const order = { orderId: id, amountCents: 15_000n as never, keyType: 'cpf', key: '52998224725' };
    await provider.submit(order, { timeoutMs: 1, mayStart: () => undefined });
    provider.end(id, { status: 'paid' });
    clock.pass(1_000);
    await turn();
    expect(payout(id).state).toBe('confirmed');
  });
});

describe('H11: the payee', () => {
  it('that differs from its mask is refused before any call', async () => {
    const { authorized, turn, payout, names, provider } = setup();
    const payee = { ...(await keys.seal({ keyType: 'cpf', key: '52998224725' })), keyMasked: '***111111**' };
    const id = await authorized({ payee });
    await turn();
    expect(payout(id)).toMatchObject({ state: 'rejected', outcomeCode: 'payee_mismatch' });
    expect(names(id)).toEqual(['payout.rejected']);
    expect(provider.arrived).toEqual([]);
  });

  it('that cannot be opened waits for its key, and is paid when the key comes', async () => {
    const later = await payeeKeys();
    const ring = { open: keys.open };
    const { authorized, turn, payout, clock, provider } = setup({ openPayee: (payee) => ring.open(payee) });
    const id = await authorized({ payee: await later.seal({ keyType: 'cpf', key: '52998224725' }) });
    await turn();
    expect(payout(id)).toMatchObject({ state: 'queued', lastAnswer: 'payee_unreadable' });
    expect(provider.arrived).toEqual([]);
    ring.open = later.open;
    clock.pass(5 * seconds);
    await turn();
    expect(payout(id).state).toBe('submitted');
  });

  it('that can never be opened is released once nothing can be sent any more', async () => {
    const stranger = await payeeKeys();
    const { authorized, turn, payout, clock } = setup();
    const id = await authorized({ payee: await stranger.seal({ keyType: 'cpf', key: '52998224725' }) });
    for (let at = 0; at < 16; at += 1) {
      await turn();
      clock.pass(1 * minutes);
    }
    expect(payout(id)).toMatchObject({ state: 'rejected', outcomeCode: 'send_before_passed' });
  });
});

describe('a provider that does not want us', () => {
  it('is left alone for a while, and the payout goes out afterwards', async () => {
    const { authorized, provider, turn, clock, payout, attempts } = setup();
    const id = await authorized();
    provider.befall(id, 'credentials_refused');
    await turn();
    expect(payout(id).state).toBe('queued');
    const other = await authorized();
    clock.pass(59 * seconds);
    await turn();
    expect(payout(other)).toMatchObject({ state: 'queued', attempt: 0 });
    clock.pass(1 * seconds);
    await turn();
    await turn();
    expect(payout(id).state).toBe('submitted');
    expect(attempts(id)).toMatchObject([
      { outcome: 'not_sent', cause: 'credentials_refused' },
      { outcome: 'accepted' },
    ]);
  });

  it('calls people about deadlines although no question can be put', async () => {
    const { authorized, provider, turn, clock, payout } = setup();
    const id = await authorized();
    await turn();
    clock.pass(90 * minutes - 1);
    const refused = await authorized();
    provider.befall(refused, 'credentials_refused');
    await turn();
    clock.pass(1 * seconds);
    await turn();
    expect(payout(id)).toMatchObject({ state: 'review', reviewedFrom: 'submitted' });
  });
});

describe('the deadline', () => {
  it('keeps asking slowly, and late proof closes the case', async () => {
    const { authorized, provider, turn, clock, payout, published } = setup();
    const id = await authorized();
    await turn();
    for (let at = 0; at < 91; at += 1) {
      clock.pass(1 * minutes);
      await turn();
    }
    const opened = published(id).at(-1);
    expect(opened).toMatchObject({ type: 'payout.review-required', kind: 'deadline' });
    provider.end(id, { status: 'failed', code: 'AC03' });
    clock.pass(15 * minutes);
    await turn();
    expect(payout(id)).toMatchObject({ state: 'rejected', outcomeCode: 'AC03' });
    const { reviewCaseId } = payout(id);
    expect(published(id).slice(-2)).toMatchObject([
      { type: 'payout.rejected', code: 'AC03', evidence: 'query_failed' },
      { type: 'payout.review-closed', caseId: reviewCaseId, by: 'proof', after: 'rejected' },
    ]);
  });

  it('opens a case whose id is the id of the event', async () => {
    const { authorized, turn, clock, payout, unitOfWork } = setup();
    const id = await authorized();
    await turn();
    clock.pass(90 * minutes);
    await turn();
    const event = unitOfWork.rowsOf(eventLogTable).find(({ type }) => type.includes('review-required'));
    expect(event?.eventId).toBe(payout(id).reviewCaseId);
  });
});

describe('what is kept', () => {
  it('is every answer, in order, with the instants of question and answer', async () => {
    const { authorized, provider, turn, clock, unitOfWork } = setup();
    const id = await authorized();
    await turn();
    clock.pass(5 * seconds);
    await turn();
    provider.end(id, { status: 'paid' });
    clock.pass(10 * seconds);
    await turn();
    expect(unitOfWork.rowsOf(queryAnswerTable)).toMatchObject([
      { number: 1, answer: 'processing' },
      { number: 2, answer: 'paid' },
    ]);
  });

  it('continues the trace of the authorisation', async () => {
    const { authorized, turn, unitOfWork, instruction } = setup();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const id = await authorized({ traceparent });
    await turn();
    expect(instruction(id).traceparent?.slice(3, 35)).toBe(traceparent.slice(3, 35));
    const events = unitOfWork.rowsOf(eventLogTable);
    expect(events.map((event) => event.traceparent?.slice(3, 35))).toEqual([traceparent.slice(3, 35)]);
    expect(events.map(({ causationId }) => causationId)).toEqual([instruction(id).authorizedEventId]);
  });
});

describe('F-02: news that contradicts the end', () => {
  it('is kept and reported, and the end stays', async () => {
    const { authorized, turn, parts, payout, instruction, names, trouble, provider, clock } = setup();
    const id = await authorized();
    provider.plan(id, { status: 'paid' });
    await turn();
    clock.pass(5 * seconds);
    await turn();
    const asked = { at: clock.now(), attempts: 1 };
    const answer = { kind: 'failed', code: 'AC03', amountCents: instruction(id).amountCents } as const;
    await recordFacts([{ transferId: id, command: { type: 'RecordAnswer', asked, answer } }], parts);
    expect(payout(id)).toMatchObject({ state: 'confirmed', checks: 2 });
    expect(names(id)).toEqual(['payout.submitted', 'payout.confirmed']);
    expect(trouble.map(({ what }) => what)).toEqual(['failed_after_confirmation']);
  });
});

describe('a payout whose row breaks a rule', () => {
  it('is set aside and does not hold up the others', async () => {
    const { authorized, turn, payout, unitOfWork, trouble } = setup();
    const broken = await authorized();
    const good = await authorized();
    // Two attempts are counted and none is kept: nothing of ours writes that.
    await unitOfWork.run((transaction) =>
      transaction.update(payoutTable, [{ ...payout(broken), attempt: 2 }]),
    );
    await turn();
    expect(payout(good).state).toBe('submitted');
    expect(trouble.map(({ what }) => what)).toEqual(['broken']);
    await turn();
    expect(trouble).toHaveLength(1);
  });
});
