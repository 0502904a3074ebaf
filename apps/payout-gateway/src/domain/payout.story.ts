// Given, when, then for decisions about payouts. Steps are commands at seconds after noon, so a spec reads as a schedule.
import { centsOf, type Instant, instantFromWire, instantOf } from '@compasso/kernel';
import type { Capabilities } from './capabilities.ts';
import type { Given } from './given.ts';
import { decide, type PayoutCommand } from './payout.decide.ts';
import { evolve, type Instruction, noPayout, type Payout, type PayoutEvent } from './payout.ts';
import { policyFor } from './policy.ts';
import type { Answer, Asked } from './proof.ts';
import type { CallOutcome } from './record-outcome.ts';

export const noon = instantFromWire('2026-11-30T12:00:00Z');
/** @param seconds after noon */
export const second = (seconds: number): Instant => instantOf(noon + seconds * 1_000);
export const minutes = (count: number): number => count * 60;

export const transferId = '01980000-0000-7000-8000-000000000001';
export const caseId = '01980000-0000-7000-8000-00000000ca5e';

export const anInstruction = (changes: Partial<Instruction> = {}): Instruction => ({
  transferId,
  accountId: '01980000-0000-7000-8000-00000000acc0',
  amountCents: centsOf(15_000),
  payee: { keyType: 'cpf', keyMasked: '***982247**', sealed: 'sealed.to.the.gateway' },
  clientReference: null,
  sendBefore: second(minutes(15)),
  provider: 'reference',
  providerOrderId: transferId,
  authorizedEventId: '01980000-0000-7000-8000-0000000000e1',
  traceparent: null,
  queuedAt: noon,
  ...changes,
});

export const policy = policyFor(1);

/** A provider whose repeats are safe for a day, and that can be asked. */
export const careful: Capabilities = {
  idempotencyMemoryMs: 24 * 3_600_000,
  refusedCallLeavesNothing: true,
  queryableById: true,
  notFoundGraceMs: policy.notFoundGraceMs,
  showsAmount: true,
  showsDestination: true,
};

export interface Step {
  readonly at: number;
  readonly command: PayoutCommand;
}

const step = (at: number, command: PayoutCommand): Step => ({ at, command });

export const authorized = (at = 0, changes: Partial<Instruction> = {}): Step =>
  step(at, { type: 'Authorize', instruction: anInstruction(changes) });
export const sent = (at: number): Step => step(at, { type: 'StartAttempt', requestDigest: 'same-bytes' });
export const called = (at: number, outcome: CallOutcome, attempt = 1): Step =>
  step(at, { type: 'RecordOutcome', attempt, outcome });
export const asked = (at: number): Step => step(at, { type: 'AskProvider' });
/** Put and answered within the same second. */
export const answered = (
  at: number,
  answer: Answer,
  more: { attempts?: number; putAt?: number } = {},
): Step =>
  step(at, {
    type: 'RecordAnswer',
    asked: { at: second(more.putAt ?? at), attempts: more.attempts ?? 1 },
    answer,
  });
/** Put while a known order was visible and a call could begin. */
export const answeredWhileSlotFree = (at: number, answer: Answer, attempts = 1): Step =>
  step(at, {
    type: 'RecordAnswer',
    asked: { at: second(at), attempts },
    answer,
    sendAgain: { requestDigest: 'same-bytes', knownOrderIsVisible: true },
  });
export const timePassed = (at: number): Step => step(at, { type: 'PassTime' });
export const cancelled = (at: number): Step => step(at, { type: 'Cancel' });
export const hinted = (at: number): Step => step(at, { type: 'TakeHint' });

const ours = { amountCents: centsOf(15_000), destination: { keyType: 'cpf', keyMasked: '***982247**' } };
export const endToEndId = 'E12345678202611301200abcdefghijk';
export const processing: Answer = { kind: 'processing', ...ours };
export const paid: Answer = { kind: 'paid', endToEndId, ...ours };
export const failed: Answer = { kind: 'failed', code: 'AC03', ...ours };
export const notFound: Answer = { kind: 'not_found' };
export const noAnswer: Answer = { kind: 'unknown', cause: 'timeout' };

export const accepted: CallOutcome = { kind: 'accepted', isFinal: false };
export const timedOut: CallOutcome = { kind: 'unknown', cause: 'timeout' };
export const refused: CallOutcome = { kind: 'rejected', code: 'AC03' };
export const unsent: CallOutcome = { kind: 'not_sent', cause: 'connection_refused' };

export const givenAt = (at: number, capabilities: Capabilities = careful): Given => ({
  now: second(at),
  chance: 0,
  caseId,
  rules: { policy, capabilities },
});

export interface Told {
  readonly payout: Payout;
  readonly events: readonly PayoutEvent[];
}

export function tell(
  steps: readonly Step[],
  capabilities: Capabilities = careful,
  from: Payout = noPayout,
): Told {
  let payout = from;
  const events: PayoutEvent[] = [];
  for (const { at, command } of steps) {
    for (const event of decide(command, payout, givenAt(at, capabilities))) {
      payout = evolve(payout, event);
      events.push(event);
    }
  }
  return { payout, events };
}

type Partially<Event> = { readonly type: PayoutEvent['type'] } & Partial<Record<string, unknown>> &
  Partial<Event>;

export const given = (...steps: readonly Step[]) => withProvider(careful)(...steps);

export const withProvider =
  (capabilities: Capabilities) =>
  (...steps: readonly Step[]) => ({
    when: (...more: readonly Step[]) => {
      const before = tell(steps, capabilities);
      const after = tell(more, capabilities, before.payout);
      return {
        payout: after.payout,
        then: (...expected: readonly Partially<object>[]): void => {
          expect(after.events).toEqual(expected.map((event) => expect.objectContaining(event)));
        },
        thenNothing: (): void => expect(after.events).toEqual([]),
        thenStatus: (status: Payout['status']): void => expect(after.payout.status).toBe(status),
      };
    },
  });

export const askedAt = (at: number, attempts = 1): Asked => ({ at: second(at), attempts });
