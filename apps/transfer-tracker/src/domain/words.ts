// The words of a saga, as the fold knows them. A test holds them equal to the words of the contracts.

/** The ledger's own word for a transfer after an event of its. */
export type LedgerWord = 'refused' | 'reserved' | 'authorized' | 'settled' | 'released';
/** The gateway's own word for a payout after an event of its. */
export type GatewayWord = 'submitted' | 'unknown' | 'review' | 'confirmed' | 'rejected';

export type State =
  | 'started'
  | 'funds_reserved'
  | 'awaiting_clearance'
  | 'submitted'
  | 'completed'
  | 'compensating'
  | 'compensated'
  | 'refused'
  | 'needs_review';
export type Money = 'none' | 'held' | 'settled' | 'released' | 'conflicted';
export type Certainty = 'confirmed' | 'in_progress' | 'unknown';
export type Attention = 'none' | 'late' | 'stuck' | 'review' | 'conflict';

/** After these words their speaker never says another one; what comes later is recorded and flagged. */
export const lastWords: ReadonlySet<LedgerWord | GatewayWord> = new Set<LedgerWord | GatewayWord>([
  'refused',
  'settled',
  'released',
  'confirmed',
  'rejected',
]);
