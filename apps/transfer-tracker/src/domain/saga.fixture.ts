// Sagas in a sentence: events of one transfer, by name and minute, folded in the order given.
import { type Instant, instantOf } from '@compasso/kernel';
import type { ScoreView } from './flags.ts';
import { patience } from './next-step.ts';
import type { Origin, SagaEvent } from './saga-event.ts';
import { emptySaga, fold, type Saga } from './saga.ts';
import { type Rules, type TransferView, viewOf } from './transfer-view.ts';
import type { GatewayWord, LedgerWord } from './words.ts';

export const minute = 60_000;
/** 2026-11-30T12:00:00Z and so many minutes. */
export const at = (minutes: number): Instant => instantOf(1_796_040_000_000 + minutes * minute);

export const idOf = (number: number): string =>
  `01930000-0000-7000-8000-${String(number).padStart(12, '0')}`;

let drawn = 0;

export const event = (change: Partial<SagaEvent> & Pick<SagaEvent, 'origin'>): SagaEvent => ({
  id: idOf((drawn += 1)),
  name: `${change.origin}.something`,
  at: at(0),
  sequence: null,
  word: null,
  cause: null,
  reason: null,
  sendBefore: null,
  reviewAt: null,
  description: null,
  traceparent: null,
  ...change,
});

const said =
  (origin: Origin, name: string, word: LedgerWord | GatewayWord) =>
  (sequence: number, minutes: number, change: Partial<SagaEvent> = {}): SagaEvent =>
    event({ origin, name, word, sequence, at: at(minutes), ...change });

export const requested = (minutes: number, change: Partial<SagaEvent> = {}): SagaEvent =>
  event({ origin: 'requester', name: 'transfer.requested', at: at(minutes), ...change });
export const commandRefused = (cause: SagaEvent, minutes: number, reason: string): SagaEvent =>
  event({
    origin: 'command',
    name: 'ledger.command-refused',
    at: at(minutes),
    cause: cause.id,
    reason,
  });
export const reserved = said('ledger', 'ledger.funds-reserved', 'reserved');
export const authorized = said('ledger', 'ledger.payout-authorized', 'authorized');
export const refused = said('ledger', 'ledger.transfer-refused', 'refused');
export const settled = said('ledger', 'ledger.transfer-settled', 'settled');
export const released = said('ledger', 'ledger.funds-released', 'released');
export const submitted = said('gateway', 'payout.submitted', 'submitted');
export const outcomeUnknown = said('gateway', 'payout.outcome-unknown', 'unknown');
export const reviewRequired = said('gateway', 'payout.review-required', 'review');
export const confirmed = said('gateway', 'payout.confirmed', 'confirmed');
export const rejected = said('gateway', 'payout.rejected', 'rejected');

export const openScore: ScoreView = { knows: () => true, allows: () => true };
export const rules: Rules = { patience: patience(1), score: openScore };

export const foldAll = (events: readonly SagaEvent[]): Saga => events.reduce(fold, emptySaga);

export const given = (...events: readonly SagaEvent[]) => ({
  saga: foldAll(events),
  /** What is shown once everything up to that minute was read. */
  asOf: (minutes: number): TransferView => viewOf(foldAll(events), at(minutes), rules),
  under: (other: Partial<Rules>): TransferView =>
    viewOf(foldAll(events), at(0), { ...rules, ...other }),
});
