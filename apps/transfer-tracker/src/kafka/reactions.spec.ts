import { ledgerEvents, payoutEvents, reactionsOf, transferRequestedV1 } from '@compasso/contracts';
import { inboxTable } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { trackerWorld } from '../tracker-world.fixture.ts';
import {
  deadLetterClosed,
  deadLetterOpened,
  happyPath,
  messageOf,
  payerAccount,
  requests,
  transfer,
} from '../transfer-messages.fixture.ts';
import { subscriptionsOf } from './reactions.ts';

describe('what the tracker listens to', () => {
  it('is what the score says', () => {
    const names = subscriptionsOf(['acme']).flatMap(({ reactions }) =>
      reactions.map(({ contract }) => contract.name),
    );
    expect(new Set(names)).toEqual(new Set(reactionsOf('transfer-tracker')));
  });

  it('reads requests along and leaves bad ones to the ledger, with which their trace begins', () => {
    const [requestsOfTeam] = subscriptionsOf(['acme']);
    expect(requestsOfTeam).toMatchObject({ topic: requests, onInvalidCommand: 'pass-over' });
  });

  it('parks nothing: the fold does not depend on order', () => {
    expect(subscriptionsOf(['acme', 'shop']).some(({ parks }) => parks)).toBe(false);
  });
});

describe('a cancellation', () => {
  it('that comes before the request begins no saga: nobody waits, and nothing is shown', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.receive(one.cancelRequested());
    expect(world.view(one.transferId)).toMatchObject({ accountId: null, attention: 'none', lookAt: null });
    expect(world.feed()).toEqual([]);
    await world.receive(one.requested(), one.refused(1));
    expect(world.view(one.transferId)).toMatchObject({ state: 'refused', accountId: payerAccount, attention: 'none' });
  });

  it('after the pivot changes no state', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.receive(...happyPath(one));
    const before = world.view(one.transferId);
    await world.receive(one.cancelRequested());
    expect(world.view(one.transferId)).toMatchObject({ state: before!.state, flags: before!.flags, accountId: payerAccount });
  });
});

describe('a transfer', () => {
  it('that goes well ends completed, with what it is about', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.receive(...happyPath(one));
    expect(world.view(one.transferId)).toMatchObject({
      accountId: payerAccount,
      amountCents: 12_345n,
      keyType: 'cpf',
      keyMasked: '***456789**',
      clientReference: 'order-7',
      metadata: '{"invoice":"42"}',
      requestedBy: 'client.shop',
      ledgerWord: 'settled',
      ledgerSequence: 3,
      gatewayWord: 'confirmed',
      gatewaySequence: 2,
      state: 'completed',
      money: 'settled',
      certainty: 'confirmed',
      attention: 'none',
      version: 6,
      dueStep: null,
      lookAt: null,
      flags: '{"off_score":[],"sequence_conflict":false,"after_the_end":false,"gap":false}',
    });
  });

  it('is recorded event by event, with its place, and without anything sealed', async () => {
    const world = await trackerWorld();
    await world.receive(...happyPath(transfer()));
    const rows = world.events();
    expect(rows).toHaveLength(6);
    expect(rows.map(({ data }) => data).join()).not.toContain('sealed');
    const request = rows.find(({ type }) => type === transferRequestedV1.type);
    expect(request).toMatchObject({ topic: requests.name, sequence: null, offset: 0n });
    expect(JSON.parse(request!.data)).toMatchObject({ payee: { keyMasked: '***456789**' } });
  });

  it('that somebody else names in a request stays its owner’s', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const foreign = transfer(one.transferId, '0190f5fe-7c00-7a00-8000-0000000000ff');
    const claim = foreign.requested();
    await world.receive(claim);
    expect(world.view(one.transferId)?.accountId).toBe('0190f5fe-7c00-7a00-8000-0000000000ff');
    await world.receive(one.reserved(1), foreign.commandRefused(claim, 'account_not_allowed'));
    expect(world.view(one.transferId)).toMatchObject({
      accountId: payerAccount,
      state: 'funds_reserved',
      reason: null,
    });
  });

  it('whose inbox was lost is neither recorded nor folded nor published twice', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const messages = [one.reserved(1), one.authorized(2)];
    await world.receive(...messages);
    const before = world.view(one.transferId);
    await world.unitOfWork.run(async (transaction) => {
      const keys = world.unitOfWork
        .rowsOf(inboxTable)
        .map((row) => [row.groupName, row.source, row.eventId] as const);
      await transaction.remove(inboxTable, keys);
    });
    await world.receive(...messages);
    expect(world.view(one.transferId)).toEqual(before);
    expect(world.events()).toHaveLength(2);
    expect(world.feed()).toHaveLength(1);
  });
});

describe('the status feed', () => {
  it('tells each change once, numbered, with its cause and trace', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const messages = happyPath(one);
    await world.receive(...messages);
    const told = world.feed();
    expect(told.map(({ data }) => [data.state, data.certainty, data.version])).toEqual([
      ['started', 'in_progress', 1],
      ['funds_reserved', 'in_progress', 2],
      ['submitted', 'in_progress', 4],
      ['submitted', 'confirmed', 5],
      ['completed', 'confirmed', 6],
    ]);
    expect(told.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(told.at(-1)).toMatchObject({
      subject: one.transferId,
      recordKey: one.transferId,
      causationId: messages.at(-1)!.headers['ce_id'],
      data: {
        accountId: payerAccount,
        amountCents: 12_345,
        clientReference: 'order-7',
        projection: 1,
        metadata: { invoice: '42' },
      },
    });
    expect(told.at(-1)?.traceparent).toContain(one.transferId.replaceAll('-', ''));
  });

  it('tells of a batch only how it ended', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const settled = one.settled(3);
    await world.publish(one.reserved(1), one.authorized(2), settled);
    await world.consume(ledgerEvents);
    const told = world.feed();
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      sequence: 1,
      causationId: settled.headers['ce_id'],
      data: { state: 'completed', version: 3 },
    });
    expect(world.view(one.transferId)?.statusSequence).toBe(1);
  });

  it('says nothing when nothing public has changed', async () => {
    const world = await trackerWorld();
    const one = transfer();
    await world.receive(one.reserved(1), one.authorized(2));
    expect(world.feed()).toHaveLength(1);
  });
});

describe('what is not as it should be', () => {
  it('an unknown event is kept whole but for what is sealed, and fills its place', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const unknown = messageOf(ledgerEvents, transferRequestedV1, {
      type: 'compasso.ledger.return-credited.v1',
      subject: one.transferId,
      sequence: 2,
      data: { after: 'reserved', nested: [{ sealed: 'x', kept: 1 }] },
    });
    await world.receive(one.reserved(1), unknown, one.authorized(3));
    const row = world.events().find(({ type }) => type === 'compasso.ledger.return-credited.v1');
    expect(JSON.parse(row!.data)).toEqual({ after: 'reserved', nested: [{ kept: 1 }] });
    expect(world.view(one.transferId)).toMatchObject({ version: 3, ledgerSequence: 3 });
    const flags = JSON.parse(world.view(one.transferId)!.flags) as { off_score: string[] };
    expect(flags).toMatchObject({ gap: false, off_score: [unknown.headers['ce_id']] });
  });

  it('a readable request with bad data changes nothing and is no dead letter here', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const bad = messageOf(requests, transferRequestedV1, {
      subject: one.transferId,
      data: { accountId: payerAccount, amountCents: -1 },
    });
    await world.receive(bad, one.requested());
    expect(world.deadLetters()).toEqual([]);
    expect(world.view(one.transferId)).toMatchObject({ state: 'started', version: 1 });
  });

  it('an unreadable event is a dead letter, and its followers go on', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const broken = { ...one.submitted(1), value: '[]' };
    await world.receive(one.reserved(1), broken, one.confirmed(2));
    expect(world.deadLetters()).toMatchObject([
      { topic: payoutEvents.name, reason: 'value_not_an_object', state: 'open' },
    ]);
    expect(world.view(one.transferId)).toMatchObject({ gatewayWord: 'confirmed' });
  });
});

describe('a case', () => {
  it('is opened by a review and closed by its end', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const required = one.reviewRequired(2);
    const caseId = required.headers['ce_id']!;
    await world.receive(one.reserved(1), one.submitted(1), required);
    expect(world.view(one.transferId)).toMatchObject({ state: 'needs_review', attention: 'review' });
    expect(world.cases()).toMatchObject([
      { caseId, kind: 'payout_review', reason: 'deadline_passed', state: 'open' },
    ]);
    await world.receive(one.confirmed(3), one.reviewClosed(4, caseId));
    expect(world.cases()).toMatchObject([{ caseId, state: 'closed', closedBy: 'proof' }]);
  });

  it.each([['opened first'], ['closed first']])('of a dead letter is the same, %s', async (order) => {
    const world = await trackerWorld();
    const [caseId, transferId] = [uuidv7(), uuidv7()];
    const story = [deadLetterOpened(caseId, transferId), deadLetterClosed(caseId)];
    await world.receive(...(order === 'opened first' ? story : story.reverse()));
    expect(world.cases()).toMatchObject([
      {
        caseId,
        kind: 'dead_letter',
        source: 'urn:compasso:ledger',
        reason: 'data_invalid',
        transferId,
        accountId: payerAccount,
        state: 'closed',
        closedBy: 'replayed',
        openedAt: expect.any(Number) as number,
      },
    ]);
  });

  it('opened and closed in one batch is closed', async () => {
    const world = await trackerWorld();
    const one = transfer();
    const required = one.reviewRequired(1);
    await world.publish(required, one.reviewClosed(2, required.headers['ce_id']!));
    await world.consume(payoutEvents);
    expect(world.cases()).toMatchObject([{ state: 'closed', reason: 'deadline_passed' }]);
  });
});
