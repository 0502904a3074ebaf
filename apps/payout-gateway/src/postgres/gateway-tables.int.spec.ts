// The database refuses what the tables' definitions refuse, under the same names, and what only it can know.
import {
  MemoryUnitOfWork,
  PostgresUnitOfWork,
  type RowOf,
  type Table,
  type UnitOfWork,
} from '@compasso/messaging';
import { centsOf, instantFromWire } from '@compasso/kernel';
import { type PrivateDatabase, privateDatabase } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import { gatewayMigrations } from './migrations.ts';
import {
  attemptTable,
  gatewayTables,
  type InstructionRow,
  instructionTable,
  type PayoutRow,
  payoutTable,
  queryAnswerTable,
  webhookDeliveryTable,
} from './tables.ts';

const at = instantFromWire('2026-11-30T12:00:00Z');

const anInstruction = (changes: Partial<InstructionRow> = {}): InstructionRow => {
  const transferId = changes.transferId ?? uuidv7();
  return {
    transferId,
    accountId: uuidv7(),
    amountCents: centsOf(15_000),
    provider: 'reference',
    providerOrderId: transferId,
    keyType: 'cpf',
    keyMasked: '***982247**',
    sealed: 'a.b.c.d.e',
    clientReference: null,
    sendBefore: at,
    authorizedEventId: uuidv7(),
    traceparent: null,
    createdAt: at,
    ...changes,
  };
};

const aPayout = (changes: Partial<PayoutRow> = {}): PayoutRow => ({
  transferId: uuidv7(),
  state: 'queued',
  attempt: 0,
  firstAttemptAt: null,
  reviewAt: at,
  checks: 0,
  checksInRow: 0,
  lastAnswer: null,
  question: 'none',
  dueAt: at,
  reviewCaseId: null,
  reviewedFrom: null,
  cancelledAt: null,
  endToEndId: null,
  outcomeCode: null,
  evidence: null,
  sequence: 0,
  updatedAt: at,
  ...changes,
});

const anAttempt = (changes: Partial<RowOf<typeof attemptTable>> = {}): RowOf<typeof attemptTable> => ({
  transferId: uuidv7(),
  attempt: 1,
  state: 'open',
  outcome: null,
  cause: null,
  code: null,
  startedAt: at,
  sendUntil: at,
  finishedAt: null,
  requestDigest: 'digest',
  ...changes,
});

const confirmed = { state: 'confirmed', dueAt: null, endToEndId: 'E1', evidence: 'query_paid' };
const rejected = { state: 'rejected', dueAt: null, outcomeCode: 'AC03', evidence: 'query_failed' };

let database: PrivateDatabase;
let units: readonly (readonly [string, UnitOfWork])[];
beforeAll(async () => {
  database = await privateDatabase(gatewayMigrations);
  units = [
    ['Postgres', new PostgresUnitOfWork(database.hot)],
    ['its twin', new MemoryUnitOfWork(() => at)],
  ];
}, 60_000);
afterAll(() => database.drop());

const insert = <T extends Table>(unit: UnitOfWork, table: T, ...rows: readonly RowOf<T>[]) =>
  unit.run((transaction) => transaction.insert(table, rows as never));

async function bothRefuse<T extends Table>(table: T, rows: readonly RowOf<T>[], name: string): Promise<void> {
  for (const [which, unit] of units) {
    const error = await insert(unit, table, ...rows).then(
      () => `${which} took it`,
      (refusal: { facts?: object }) => refusal.facts,
    );
    expect([which, error]).toEqual([which, expect.objectContaining({ constraint: name })]);
  }
}

describe('payouts', () => {
  it.each([
    ['payout_state_known', { state: 'lost' }],
    ['payout_question_known', { question: 'perhaps' }],
    ['payout_due_unless_ended', { dueAt: null }],
    ['payout_due_unless_ended', { ...confirmed, dueAt: at }],
    ['payout_confirmed_with_proof', { ...confirmed, endToEndId: null }],
    ['payout_confirmed_with_proof', { ...confirmed, evidence: null }],
    ['payout_confirmed_with_proof', { endToEndId: 'E1' }],
    ['payout_rejected_with_proof', { ...rejected, outcomeCode: null }],
    ['payout_rejected_with_proof', { ...rejected, evidence: null }],
    ['payout_rejected_with_proof', { outcomeCode: 'AC03' }],
    ['payout_review_has_case', { state: 'review' }],
    ['payout_review_has_case', { reviewCaseId: uuidv7() }],
    ['payout_sends_an_attempt', { state: 'sending' }],
  ] as const)('%s', (name, changes) => bothRefuse(payoutTable, [aPayout(changes)], name));

  it('have a case of their own', async () => {
    const review = { state: 'review', reviewedFrom: 'unknown', reviewCaseId: uuidv7() };
    await bothRefuse(payoutTable, [aPayout(review), aPayout(review)], 'payout_review_case');
  });

  it.each([
    ['confirmed', confirmed, rejected],
    ['rejected', rejected, confirmed],
    ['confirmed', confirmed, { state: 'submitted', dueAt: at }],
    ['confirmed', confirmed, { ...confirmed, endToEndId: 'E2' }],
    ['rejected', rejected, { ...rejected, evidence: 'never_sent' }],
  ])('that are %s stay so, whoever writes', async (_state, first, then) => {
    const [, postgres] = units[0]!;
    const row = aPayout(first);
    await insert(postgres, payoutTable, row);
    const changed = { ...row, endToEndId: null, outcomeCode: null, evidence: null, ...then };
    await expect(
      postgres.run((transaction) => transaction.update(payoutTable, [changed])),
    ).rejects.toMatchObject({
      facts: { constraint: 'payout_ended_for_good' },
    });
    await postgres.run((transaction) => transaction.update(payoutTable, [{ ...row, checks: 7 }]));
  });

  it('are never deleted', async () => {
    const [, postgres] = units[0]!;
    const row = aPayout();
    await insert(postgres, payoutTable, row);
    await expect(
      postgres.run((transaction) => transaction.remove(payoutTable, [[row.transferId]])),
    ).rejects.toMatchObject({
      code: 'append_only',
    });
  });
});

describe('instructions', () => {
  it('instruction_amount_positive', () =>
    bothRefuse(
      instructionTable,
      [anInstruction({ amountCents: centsOf(0) })],
      'instruction_amount_positive',
    ));

  it('have one name at their provider', async () => {
    const providerOrderId = uuidv7();
    await bothRefuse(
      instructionTable,
      [anInstruction({ providerOrderId }), anInstruction({ providerOrderId })],
      'instruction_provider_order',
    );
  });

  it.each([
    ['update instruction set amount_cents = 1'],
    [`update instruction set provider_order_id = 'x'`],
    [`update instruction set sealed = 'x'`],
    ['update instruction set account_id = transfer_id'],
    ['update instruction set send_before = send_before + interval $$1 day$$'],
    ['delete from instruction'],
  ])('never change: %s', async (statement) => {
    const [, postgres] = units[0]!;
    await insert(postgres, instructionTable, anInstruction());
    await expect(database.hot.query(statement)).rejects.toMatchObject({ code: 'CM001' });
  });
});

describe('attempts', () => {
  it.each([
    ['attempt_numbered', { attempt: 0 }],
    ['attempt_state_known', { state: 'lost' }],
    ['attempt_closed_with_outcome', { state: 'closed' }],
    ['attempt_closed_with_outcome', { outcome: 'unknown', finishedAt: at }],
    ['attempt_outcome_known', { state: 'closed', outcome: 'perhaps', finishedAt: at }],
  ] as const)('%s', (name, changes) => bothRefuse(attemptTable, [anAttempt(changes)], name));

  it('are open one at a time', async () => {
    const transferId = uuidv7();
    await bothRefuse(
      attemptTable,
      [anAttempt({ transferId }), anAttempt({ transferId, attempt: 2 })],
      'attempt_one_open',
    );
  });
});

describe('answers and deliveries', () => {
  it('are never changed', async () => {
    const answer = {
      transferId: uuidv7(),
      number: 1,
      answer: 'paid',
      code: null,
      askedAt: at,
      answeredAt: at,
    };
    const delivery = {
      provider: 'reference',
      deliveryId: uuidv7(),
      providerOrderId: null,
      claimedStatus: null,
      verdict: 'hint',
      receivedAt: at,
    };
    for (const [, unit] of units) {
      await insert(unit, queryAnswerTable, answer);
      await insert(unit, webhookDeliveryTable, delivery);
      const removed = unit.run((transaction) =>
        transaction.remove(queryAnswerTable, [[answer.transferId, 1]]),
      );
      await expect(removed).rejects.toMatchObject({ code: 'append_only' });
    }
    const changed = database.hot.query(`update webhook_delivery set verdict = 'unreadable'`);
    await expect(changed).rejects.toMatchObject({ code: 'CM001' });
  });
});

it('every column of a definition is a column of its table, and the other way round', async () => {
  for (const table of gatewayTables) {
    const { rows } = await database.hot.query<{ name: string; nullable: string }>(
      'select column_name as name, is_nullable as nullable from information_schema.columns where table_name = $1',
      [table.name],
    );
    const seen = Object.fromEntries(rows.map(({ name, nullable }) => [name, nullable === 'YES']));
    const wanted = Object.fromEntries(
      Object.entries(table.columns).map(([name, column]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        column.nullable,
      ]),
    );
    expect([table.name, seen]).toEqual([table.name, wanted]);
  }
});
