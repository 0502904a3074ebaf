import {
  attentionWords,
  certaintyWords,
  ledgerTransferSettledV1,
  moneyWords,
  payoutConfirmedV1,
  states,
} from '@compasso/contracts';
import type { Attention, Certainty, GatewayWord, LedgerWord, Money, State } from './words.ts';

/** Compiles only if the two lists of words are the same. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const same: readonly [
  Same<State, (typeof states)[number]>,
  Same<Money, (typeof moneyWords)[number]>,
  Same<Certainty, (typeof certaintyWords)[number]>,
  Same<Attention, (typeof attentionWords)[number]>,
] = [true, true, true, true];

it('the words of the fold are the words of the contracts', () => {
  const ledger: Record<LedgerWord, 1> = {
    refused: 1,
    reserved: 1,
    authorized: 1,
    settled: 1,
    released: 1,
  };
  const gateway: Record<GatewayWord, 1> = {
    submitted: 1,
    unknown: 1,
    review: 1,
    confirmed: 1,
    rejected: 1,
  };
  expect(ledgerTransferSettledV1.schema.shape.after.options).toEqual(Object.keys(ledger));
  expect(payoutConfirmedV1.schema.shape.after.options).toEqual(Object.keys(gateway));
  expect(same).toHaveLength(4);
});
