import { standingOf } from './standing.ts';
import type { GatewayWord, LedgerWord } from './words.ts';

const ledgerWords: readonly (LedgerWord | 'none')[] = [
  'none',
  'reserved',
  'authorized',
  'settled',
  'released',
  'refused',
];
const gatewayWords: readonly (GatewayWord | 'none')[] = [
  'none',
  'submitted',
  'unknown',
  'review',
  'confirmed',
  'rejected',
];

const shown = (ledger: LedgerWord | 'none', gateway: GatewayWord | 'none'): string => {
  const { state, money, certainty, needs } = standingOf(ledger, gateway);
  return [state, money, certainty, ...(needs === 'nothing' ? [] : [needs])].join(' ');
};

describe('where a transfer stands', () => {
  it.each([
    ['none', 'none', 'started none in_progress'],
    ['reserved', 'none', 'funds_reserved held in_progress'],
    ['authorized', 'none', 'funds_reserved held in_progress'],
    ['authorized', 'submitted', 'submitted held in_progress'],
    ['authorized', 'unknown', 'submitted held unknown'],
    ['authorized', 'review', 'needs_review held unknown review'],
    ['authorized', 'confirmed', 'submitted held confirmed'],
    ['authorized', 'rejected', 'compensating held confirmed'],
    ['settled', 'confirmed', 'completed settled confirmed'],
    ['released', 'rejected', 'compensated released confirmed'],
    ['refused', 'none', 'refused none confirmed'],
    ['settled', 'rejected', 'completed conflicted unknown conflict'],
    ['released', 'confirmed', 'compensated conflicted unknown conflict'],
    ['refused', 'confirmed', 'refused conflicted unknown conflict'],
  ] as const)('ledger %s, gateway %s: %s', (ledger, gateway, expected) => {
    expect(shown(ledger, gateway)).toBe(expected);
  });

  it.each(ledgerWords)('has an answer for every word of the gateway beside %s', (ledger) => {
    for (const gateway of gatewayWords) expect(shown(ledger, gateway)).toMatch(/^\w+ \w+ \w+/);
  });

  it('never shows money that the ledger has not moved as moved', () => {
    for (const ledger of ['none', 'reserved', 'authorized'] as const) {
      for (const gateway of gatewayWords) {
        expect(['none', 'held']).toContain(standingOf(ledger, gateway).money);
      }
    }
  });

  it('keeps a terminal state whatever the gateway says', () => {
    const states = (['settled', 'released', 'refused'] as const).map(
      (ledger) => new Set(gatewayWords.map((gateway) => standingOf(ledger, gateway).state)),
    );
    expect(states).toEqual([new Set(['completed']), new Set(['compensated']), new Set(['refused'])]);
  });
});
