// The state is a function of the set of events: order, duplicates and batches do not show in it.
import fc from 'fast-check';
import { type SagaEvent } from './saga-event.ts';
import { emptySaga, fold, type Saga } from './saga.ts';
import { at, event, foldAll, idOf, rules } from './saga.fixture.ts';
import { standingOf } from './standing.ts';
import { viewOf } from './transfer-view.ts';
import type { GatewayWord, LedgerWord } from './words.ts';

const ledgerWord = fc.constantFrom<LedgerWord>(
  'refused',
  'reserved',
  'authorized',
  'settled',
  'released',
);
const gatewayWord = fc.constantFrom<GatewayWord>(
  'submitted',
  'unknown',
  'review',
  'confirmed',
  'rejected',
);
const sequence = fc.integer({ min: 1, max: 6 });
const shape = fc.oneof(
  fc.record({ origin: fc.constant('requester' as const) }),
  fc.record({ origin: fc.constant('command' as const), cause: fc.integer({ min: 0, max: 9 }) }),
  fc.record({ origin: fc.constant('other' as const) }),
  fc.record({ origin: fc.constant('ledger' as const), word: fc.option(ledgerWord), sequence }),
  fc.record({ origin: fc.constant('gateway' as const), word: fc.option(gatewayWord), sequence }),
);

const anyEvent = fc.record({
  shape,
  minutes: fc.integer({ min: 0, max: 90 }),
  reason: fc.option(fc.constantFrom('ac03', 'timeout')),
  limit: fc.option(fc.integer({ min: 0, max: 90 })),
  account: fc.option(fc.constantFrom('a', 'b')),
  trace: fc.option(fc.constantFrom('t1', 't2')),
});

/** Any set of events, also those that no correct service would publish. */
const anySet: fc.Arbitrary<readonly SagaEvent[]> = fc
  .array(anyEvent, { minLength: 1, maxLength: 10 })
  .map((drafts) =>
    drafts.map(({ shape: { cause, ...rest }, minutes, reason, limit, account, trace }: Draft, n) =>
      event({
        ...rest,
        id: idOf(n),
        at: at(minutes),
        cause: cause === undefined ? null : idOf(cause),
        reason,
        reviewAt: limit === null ? null : at(limit),
        traceparent: trace,
        description:
          account === null
            ? null
            : {
                accountId: account,
                amountCents: null,
                keyType: null,
                keyMasked: null,
                clientReference: null,
                metadata: null,
                requestedBy: null,
              },
      }),
    ),
  );

interface Draft {
  readonly shape: Partial<Pick<SagaEvent, 'word' | 'sequence'>> &
    Pick<SagaEvent, 'origin'> & { readonly cause?: number };
  readonly minutes: number;
  readonly reason: string | null;
  readonly limit: number | null;
  readonly account: string | null;
  readonly trace: string | null;
}

const setAndOrder = anySet.chain((events) =>
  fc.record({
    events: fc.constant(events),
    again: fc.shuffledSubarray([...events, ...events], { minLength: 0 }),
    order: fc.shuffledSubarray([...events], { minLength: events.length }),
  }),
);

const asOf = at(60);

it('does not depend on order, nor on what comes again', () => {
  fc.assert(
    fc.property(setAndOrder, ({ events, again, order }) => {
      const once = foldAll(events);
      const otherwise = foldAll([...again, ...order, ...again]);
      expect(otherwise).toEqual(once);
      expect(viewOf(otherwise, asOf, rules)).toEqual(viewOf(once, asOf, rules));
    }),
    { numRuns: 500 },
  );
});

it('counts distinct events, and never fewer', () => {
  fc.assert(
    fc.property(setAndOrder, ({ order, again }) => {
      let saga: Saga = emptySaga;
      for (const one of [...again, ...order]) {
        const next = fold(saga, one);
        expect(next.trail.length).toBeGreaterThanOrEqual(saga.trail.length);
        saga = next;
      }
      expect(viewOf(saga, asOf, rules).version).toBe(order.length);
    }),
  );
});

it('never leaves a terminal state once the ledger has spoken its last word in order', () => {
  fc.assert(
    fc.property(anySet, (events) => {
      const inOrder = [...events].sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
      let ended: string | undefined;
      let saga: Saga = emptySaga;
      for (const one of inOrder) {
        saga = fold(saga, one);
        const view = viewOf(saga, asOf, rules);
        if (ended !== undefined) expect([view.state, 'shared sequence']).toContain(
          view.flags.sequenceConflict ? 'shared sequence' : ended,
        );
        if (view.endedAt !== null && !view.flags.sequenceConflict) ended = view.state;
      }
    }),
    { numRuns: 500 },
  );
});

it('shows what the table says of the last words', () => {
  fc.assert(
    fc.property(anySet, (events) => {
      const view = viewOf(foldAll(events), asOf, rules);
      const { state, money, certainty } = standingOf(
        view.ledger?.word ?? 'none',
        view.gateway?.word ?? 'none',
      );
      expect(view).toMatchObject({ state, money, certainty });
    }),
  );
});
