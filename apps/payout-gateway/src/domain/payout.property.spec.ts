// No sequence of outcomes, answers, hints and timers ends a payout twice, or ends it without proof. The proof is judged by a
// second, independent reading of the rules over the whole history.
import { centsOf, instantOf } from '@compasso/kernel';
import fc from 'fast-check';
import type { Capabilities } from './capabilities.ts';
import { nextStepOf, type PayoutCommand } from './payout.decide.ts';
import type { PayoutEvent } from './payout.ts';
import {
  careful,
  failed,
  givenAt,
  authorized,
  notFound,
  noAnswer,
  paid,
  processing,
  type Step,
  tell,
  type Told,
} from './payout.story.ts';
import type { Answer } from './proof.ts';
import type { CallOutcome } from './record-outcome.ts';

const outcomes = fc.constantFrom<CallOutcome>(
  { kind: 'accepted', isFinal: false },
  { kind: 'accepted', isFinal: true },
  { kind: 'rejected', code: 'AC03' },
  { kind: 'not_sent', cause: 'connection_refused' },
  { kind: 'not_sent', cause: 'payee_mismatch' },
  { kind: 'already_exists' },
  { kind: 'unknown', cause: 'timeout' },
);
const foreign: Answer = { kind: 'paid', endToEndId: 'E1', amountCents: centsOf(1) };
const answers = fc.constantFrom<Answer>(processing, paid, failed, notFound, noAnswer, foreign);
const commands = fc.oneof(
  fc.constant<PayoutCommand>({ type: 'StartAttempt', requestDigest: 'same-bytes' }),
  fc.record({
    type: fc.constant('RecordOutcome' as const),
    attempt: fc.integer({ min: 1, max: 4 }),
    outcome: outcomes,
  }),
  fc.constant<PayoutCommand>({ type: 'AskProvider' }),
  fc.constant<PayoutCommand>({ type: 'PassTime' }),
  fc.constant<PayoutCommand>({ type: 'TakeHint' }),
  fc.constant<PayoutCommand>({ type: 'Cancel' }),
  fc.record({
    type: fc.constant('RecordAnswer' as const),
    // Filled in when the story is told: a question can only be put about what was known then.
    asked: fc.constant({ at: instantOf(0), attempts: 0 }),
    answer: answers,
    sendAgain: fc.record({ requestDigest: fc.constant('same-bytes'), knownOrderIsVisible: fc.boolean() }),
  }),
);
const moves = fc.array(
  fc.record({ after: fc.constantFrom(0, 1, 7, 30, 200, 900, 6_000), command: commands }),
  {
    maxLength: 30,
  },
);
const capabilities = fc.record<Capabilities>({
  idempotencyMemoryMs: fc.constantFrom(0, 600_000, careful.idempotencyMemoryMs),
  refusedCallLeavesNothing: fc.boolean(),
  queryableById: fc.constant(true),
  notFoundGraceMs: fc.constantFrom(0, careful.notFoundGraceMs),
  showsAmount: fc.constant(true),
  showsDestination: fc.constant(true),
});

interface Move {
  readonly after: number;
  readonly command: PayoutCommand;
}

/** Plays the moves one after the other; answers are about the attempts of the moment at which they come. */
function play(
  all: readonly Move[],
  can: Capabilities,
): { readonly told: Told; readonly steps: readonly Step[] } {
  let at = 0;
  let told = tell([authorized()], can);
  const steps: Step[] = [];
  const events: PayoutEvent[] = [...told.events];
  for (const { after, command } of all) {
    at += after;
    const attempts = told.payout.status === 'none' ? 0 : told.payout.attempts.length;
    const step = {
      at,
      command: command.type === 'RecordAnswer' ? askedNow(command, at, attempts, can) : command,
    };
    steps.push(step);
    told = tell([step], can, told.payout);
    events.push(...told.events);
  }
  return { told: { payout: told.payout, events }, steps };
}

const askedNow = (
  command: Extract<PayoutCommand, { type: 'RecordAnswer' }>,
  at: number,
  attempts: number,
  can: Capabilities,
): PayoutCommand => ({ ...command, asked: { at: givenAt(at, can).now, attempts } });

const ofType = <Type extends PayoutEvent['type']>(events: readonly PayoutEvent[], type: Type) =>
  events.filter((event): event is Extract<PayoutEvent, { type: Type }> => event.type === type);

/** Last word on each attempt; an attempt without one is unknown. */
function outcomesBefore(events: readonly PayoutEvent[]): readonly string[] {
  const last = new Map<number, string>();
  for (const event of events) {
    if (event.type === 'AttemptStarted') last.set(event.attempt, 'unknown');
    if (event.type === 'AttemptClosed') last.set(event.attempt, event.outcome);
  }
  return [...last.values()];
}

describe('whatever the provider does', () => {
  it('a payout ends at most once, and never both ways', () => {
    fc.assert(
      fc.property(moves, capabilities, (all, can) => {
        const { events } = play(all, can).told;
        const ends = [...ofType(events, 'PayoutConfirmed'), ...ofType(events, 'PayoutRejected')];
        return ends.length <= 1;
      }),
      { numRuns: 2_000 },
    );
  });

  it('it is confirmed only on an answer that says paid', () => {
    fc.assert(
      fc.property(moves, capabilities, (all, can) => {
        const { events } = play(all, can).told;
        const at = events.findIndex(({ type }) => type === 'PayoutConfirmed');
        if (at === -1) return true;
        const answer = events[at - 1];
        return answer?.type === 'Answered' && answer.answer === 'paid';
      }),
      { numRuns: 2_000 },
    );
  });

  it('it is rejected only with proof of not paid', () => {
    fc.assert(
      fc.property(moves, capabilities, (all, can) => {
        const { events } = play(all, can).told;
        const at = events.findIndex(({ type }) => type === 'PayoutRejected');
        return at === -1 || isProved(events, at, can);
      }),
      { numRuns: 5_000 },
    );
  });

  it('a call is repeated only while nothing but silence was ever heard', () => {
    fc.assert(
      fc.property(moves, capabilities, (all, can) => {
        const { events } = play(all, can).told;
        return events.every((event, at) => {
          if (event.type !== 'AttemptStarted' || event.attempt === 1) return true;
          const before = events.slice(0, at);
          const heard = ofType(before, 'Answered').map(({ answer }) => answer);
          const silent = heard.every((answer) => answer === 'unknown' || answer === 'not_found');
          const outcomes = outcomesBefore(before);
          const repeatsNothing = outcomes.every((outcome) => outcome === 'not_sent');
          const safe = can.idempotencyMemoryMs > 0;
          return (
            repeatsNothing ||
            (silent && safe && outcomes.every((one) => one === 'not_sent' || one === 'unknown'))
          );
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it('nothing is sent once it was given up', () => {
    fc.assert(
      fc.property(moves, capabilities, (all, can) => {
        const { events } = play(all, can).told;
        const at = events.findIndex(({ type }) => type === 'PayoutCancelled');
        return at === -1 || events.slice(at).every(({ type }) => type !== 'AttemptStarted');
      }),
      { numRuns: 2_000 },
    );
  });

  it('a worker that is told that something is due always gets on', () => {
    fc.assert(
      fc.property(moves, capabilities, (all, can) => {
        const { told, steps } = play(all, can);
        const now = (steps.at(-1)?.at ?? 0) + 10_000;
        const next = nextStepOf(told.payout, givenAt(now, can));
        if (next !== 'pass-time') return true;
        const after = tell([{ at: now, command: { type: 'PassTime' } }], can, told.payout);
        return after.events.length > 0 && nextStepOf(after.payout, givenAt(now, can)) !== 'pass-time';
      }),
      { numRuns: 2_000 },
    );
  });
});

function isProved(events: readonly PayoutEvent[], at: number, can: Capabilities): boolean {
  const rejected = events[at] as Extract<PayoutEvent, { type: 'PayoutRejected' }>;
  const before = events.slice(0, at);
  const outcomes = outcomesBefore(before);
  const last = before.at(-1);
  switch (rejected.evidence) {
    case 'query_failed':
      return last?.type === 'Answered' && last.answer === 'failed';
    case 'call_refused': {
      const isRefusal = last?.type === 'AttemptClosed' && last.outcome === 'rejected';
      const others = outcomes.filter((outcome) => outcome !== 'rejected');
      return isRefusal && can.refusedCallLeavesNothing && others.every((outcome) => outcome === 'not_sent');
    }
    case 'never_sent':
      return (
        last?.type === 'Answered' &&
        last.answer === 'not_found' &&
        outcomes.every((outcome) => outcome === 'not_sent')
      );
    case 'payee_mismatch':
      return outcomes.every((outcome) => outcome === 'not_sent');
    default:
      return false;
  }
}
