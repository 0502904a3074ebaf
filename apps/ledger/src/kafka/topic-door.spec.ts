import { instantFromWire } from '@compasso/kernel';
import { deadLetterTable, inboxTable } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import type { Message } from './batches.story.ts';
import { cancelRequested, ledgerWorld, requested, requests } from './ledger-world.story.ts';

const accountId = uuidv7();
const about = () => ({ transferId: uuidv7(), accountId });
const typesOf = (world: ReturnType<typeof ledgerWorld>) =>
  world.published().map(({ type }) => type);

describe('a request on a team’s topic', () => {
  it('is held and authorised, as two events of one decision', async () => {
    const world = ledgerWorld({ feeCents: 35 });
    await world.openAccount(accountId);
    const transfer = about();
    const metadata = { order: 'A-118' };
    const message = requested(transfer, { data: { clientReference: 'inv 1', metadata } });
    await world.receive(requests.name, message);
    const common = { accountId, amountCents: 1_000, clientReference: 'inv 1', metadata };
    expect(world.published()).toMatchObject([
      {
        type: 'compasso.ledger.funds-reserved.v1',
        subject: transfer.transferId,
        recordKey: accountId,
        sequence: 1,
        causationId: message.headers['ce_id'],
        data: {
          ...common,
          after: 'reserved',
          feeCents: 35,
          clearances: [],
          requestedBy: 'team.acme',
        },
      },
      {
        type: 'compasso.ledger.payout-authorized.v1',
        sequence: 2,
        causationId: message.headers['ce_id'],
        data: { ...common, after: 'authorized', sendBefore: '2026-11-30T15:15:00.000Z' },
      },
    ]);
    expect(world.account(accountId)).toMatchObject({ availableCents: 98_965n, heldCents: 1_035n });
    expect(world.transfer(transfer.transferId)).toMatchObject({ state: 'authorized', sequence: 2 });
  });

  it('never lets the sealed payee out but in the authorisation', async () => {
    const world = ledgerWorld();
    await world.openAccount(accountId);
    await world.receive(requests.name, requested(about()));
    const [reserved, authorized] = world.published();
    expect(JSON.stringify(reserved!.data)).not.toContain('a.b.c.d.e');
    expect(authorized!.data).toMatchObject({ payee: { sealed: 'a.b.c.d.e' } });
  });

  it('is refused with a reason when the money is not there', async () => {
    const world = ledgerWorld();
    await world.openAccount(accountId, 999);
    const transfer = about();
    await world.receive(requests.name, requested(transfer));
    expect(world.published()).toMatchObject([
      {
        type: 'compasso.ledger.transfer-refused.v1',
        sequence: 1,
        data: { reason: 'insufficient_funds', after: 'refused' },
      },
    ]);
    expect(world.transfer(transfer.transferId)).toMatchObject({ state: 'refused', sealed: null });
  });

  it('refuses one by one within a batch: the third finds what two have left', async () => {
    const world = ledgerWorld();
    await world.openAccount(accountId, 2_500);
    const three = [about(), about(), about()];
    await world.receive(requests.name, ...three.map((transfer) => requested(transfer)));
    const states = three.map(({ transferId }) => world.transfer(transferId)!.state);
    expect(states).toEqual(['authorized', 'authorized', 'refused']);
    expect(world.account(accountId)).toMatchObject({ availableCents: 500n, heldCents: 2_000n });
  });

  it('judges the night by the database’s clock, never by the sender’s (H9)', async () => {
    const world = ledgerWorld({ at: '2026-11-30T21:00:00-03:00' });
    await world.openAccount(accountId);
    await world.receive(requests.name, requested(about(), { data: { amountCents: 10_001 } }));
    expect(world.published()).toMatchObject([{ data: { reason: 'night_limit_exceeded' } }]);
    world.moveTo(instantFromWire('2026-12-01T09:00:00-03:00'));
    await world.receive(requests.name, requested(about(), { data: { amountCents: 10_001 } }));
    expect(world.published().at(-1)).toMatchObject({ data: { after: 'authorized' } });
  });
});

describe('a request that comes again', () => {
  it('under another message id changes nothing and says nothing', async () => {
    const world = ledgerWorld();
    await world.openAccount(accountId);
    const transfer = about();
    await world.receive(requests.name, requested(transfer), requested(transfer));
    await world.receive(requests.name, requested(transfer));
    expect(world.published()).toHaveLength(2);
    expect(
      world.unitOfWork
        .rowsOf(inboxTable)
        .map(({ verdict }) => verdict)
        .sort(),
    ).toEqual(['applied', 'ignored', 'ignored']);
  });

  it('sealed anew is still the same request: sealing draws fresh numbers each time', async () => {
    const world = ledgerWorld();
    await world.openAccount(accountId);
    const transfer = about();
    const payee = {
      kind: 'key',
      keyType: 'email',
      keyMasked: 'a**@b******',
      sealed: 'v.w.x.y.z',
    } as const;
    await world.receive(
      requests.name,
      requested(transfer),
      requested(transfer, { data: { payee } }),
    );
    expect(world.published()).toHaveLength(2);
  });

  it('with other content is refused as a command, and the transfer does not hear of it (H6)', async () => {
    const world = ledgerWorld();
    const otherAccount = uuidv7();
    await world.openAccount(accountId);
    await world.openAccount(otherAccount);
    const transfer = about();
    await world.receive(requests.name, requested(transfer));
    const second = requested({ ...transfer, accountId: otherAccount });
    await world.receive(requests.name, second);
    expect(world.published().at(-1)).toMatchObject({
      type: 'compasso.ledger.command-refused.v1',
      subject: second.headers['ce_id'],
      recordKey: otherAccount,
      sequence: 1,
      data: {
        reason: 'transfer_id_reused',
        transferId: transfer.transferId,
        commandSource: requests.source,
      },
    });
    expect(world.transfer(transfer.transferId)).toMatchObject({ accountId, state: 'authorized' });
  });
});

describe('a command that is not taken', () => {
  const refusalOf = async (world: ReturnType<typeof ledgerWorld>, message: Message) => {
    await world.receive(requests.name, message);
    const last = world.published().at(-1)!;
    expect(last).toMatchObject({
      type: 'compasso.ledger.command-refused.v1',
      subject: message.headers['ce_id'],
    });
    return last.data;
  };

  it('for an account that the team may not debit, known or not', async () => {
    const world = ledgerWorld({ mayDebit: () => false });
    await world.openAccount(accountId);
    expect(await refusalOf(world, requested(about()))).toMatchObject({
      reason: 'account_not_allowed',
    });
    const unknown = { transferId: uuidv7(), accountId: uuidv7() };
    expect(await refusalOf(world, requested(unknown))).toMatchObject({
      reason: 'account_not_allowed',
    });
  });

  it('for an unknown account', async () => {
    const data = await refusalOf(ledgerWorld(), requested(about()));
    expect(data).toMatchObject({ reason: 'account_not_found' });
  });

  it.each([
    ['no amount', { amountCents: undefined }, ['amountCents']],
    ['an amount of 0', { amountCents: 0 }, ['amountCents']],
    ['a fraction', { amountCents: 0.5 }, ['amountCents']],
    ['an amount as text', { amountCents: '1000' }, ['amountCents']],
    ['an amount beyond the limit', { amountCents: 1e12 }, ['amountCents']],
    ['an account that is no UUID', { accountId: 'x' }, ['accountId']],
    ['another account than the key', { accountId: uuidv7() }, ['key']],
    [
      'an odd key type',
      { payee: { kind: 'key', keyType: 'x', keyMasked: 'x', sealed: 'x' } },
      ['payee.keyType'],
    ],
    [
      'a mask that no column takes',
      { payee: { kind: 'key', keyType: 'cpf', keyMasked: '\0', sealed: 'x' } },
      ['payee.keyMasked'],
    ],
    ['metadata under an odd name', { metadata: { ['x'.repeat(500)]: 'y' } }, ['metadata']],
    ['a time that is none', { notAfter: 'tomorrow' }, ['notAfter']],
  ])('with %s: the fields are named, their content is not', async (_, data, invalidFields) => {
    const world = ledgerWorld();
    await world.openAccount(accountId);
    const message = requested(about());
    const value = JSON.stringify({ ...(JSON.parse(message.value) as object), ...data });
    const refusal = await refusalOf(world, { ...message, value });
    expect(refusal).toEqual(expect.objectContaining({ reason: 'request_invalid', invalidFields }));
    expect(world.account(accountId)).toMatchObject({ heldCents: 0n });
  });

  it('lets the next one through: nothing parks on a topic of requests', async () => {
    const world = ledgerWorld();
    await world.openAccount(accountId);
    const transfer = about();
    const dead = { ...requested(transfer), value: '[]' };
    await world.receive(requests.name, dead, requested(transfer));
    expect(world.unitOfWork.rowsOf(deadLetterTable)).toMatchObject([
      { reason: 'value_not_an_object' },
    ]);
    expect(typesOf(world)).toContain('compasso.ledger.payout-authorized.v1');
  });
});

describe('a cancellation on a team’s topic', () => {
  it('that comes first is kept, and the request is refused', async () => {
    const world = ledgerWorld();
    await world.openAccount(accountId);
    const transfer = about();
    await world.receive(requests.name, cancelRequested(transfer));
    expect(world.published()).toEqual([]);
    await world.receive(requests.name, requested(transfer));
    expect(world.published()).toMatchObject([
      { type: 'compasso.ledger.transfer-refused.v1', data: { reason: 'cancelled_by_requester' } },
    ]);
    expect(world.account(accountId)).toMatchObject({ heldCents: 0n });
  });

  it('of another account’s transfer id holds nobody up', async () => {
    const world = ledgerWorld();
    const stranger = uuidv7();
    await world.openAccount(accountId);
    await world.openAccount(stranger);
    const transfer = about();
    await world.receive(requests.name, cancelRequested({ ...transfer, accountId: stranger }));
    await world.receive(requests.name, requested(transfer));
    expect(world.transfer(transfer.transferId)).toMatchObject({ state: 'authorized' });
  });

  it('after the pivot is passed on to the gateway, as the next event of the transfer', async () => {
    const world = ledgerWorld();
    await world.openAccount(accountId);
    const transfer = about();
    const cancel = cancelRequested(transfer);
    await world.receive(requests.name, requested(transfer), cancel, cancelRequested(transfer));
    expect(world.published().slice(2)).toMatchObject([
      {
        type: 'compasso.ledger.payout-cancel-requested.v1',
        subject: transfer.transferId,
        sequence: 3,
        causationId: cancel.headers['ce_id'],
        data: { accountId, amountCents: 1_000, after: 'authorized' },
      },
      { type: 'compasso.ledger.payout-cancel-requested.v1', sequence: 4 },
    ]);
    expect(world.transfer(transfer.transferId)).toMatchObject({ state: 'authorized', sequence: 4 });
    expect(world.account(accountId)).toMatchObject({ heldCents: 1_000n });
  });

  it('by a team that may not debit the account is refused as a command', async () => {
    const world = ledgerWorld({ mayDebit: () => false });
    await world.openAccount(accountId);
    await world.receive(requests.name, cancelRequested(about()));
    expect(world.published()).toMatchObject([
      { type: 'compasso.ledger.command-refused.v1', data: { reason: 'account_not_allowed' } },
    ]);
  });
});
