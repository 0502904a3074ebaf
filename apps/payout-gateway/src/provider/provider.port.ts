// What the gateway needs of a payment provider. An adapter translates one wire format into these words and declares its
// capabilities; it decides nothing. Every adapter passes provider.features.ts.
import type { Cents, Instant } from '@compasso/kernel';
import type { Capabilities } from '../domain/capabilities.ts';
import type { Answer } from '../domain/proof.ts';
import type { CallOutcome } from '../domain/record-outcome.ts';

export interface PayoutOrder {
  readonly orderId: string;
  readonly amountCents: Cents;
  readonly keyType: string;
  /** The key in the clear: opened right before the call, written nowhere. */
  readonly key: string;
}

export interface Question {
  readonly traceparent?: string | undefined;
  readonly timeoutMs: number;
}

export interface Call extends Question {
  /**
   * Asked when a connection is there, right before the first byte; a reason keeps the call from leaving. Bytes that
   * are written cannot be recalled, so this is the last instant at which a late or frozen sender can be stopped (H5).
   */
  readonly mayStart: () => string | undefined;
}

/** The provider does not want to be called for a while. */
export interface HoldBack {
  readonly because: 'too_many_requests' | 'credentials_refused';
  readonly forMs?: number | undefined;
}

export interface Submitted {
  readonly outcome: CallOutcome;
  readonly holdBack?: HoldBack | undefined;
}

export interface Queried {
  readonly answer: Answer;
  readonly holdBack?: HoldBack | undefined;
}

export interface ListedOrder {
  readonly orderId: string;
  readonly answer: Answer;
  readonly updatedAt: Instant;
}

export type Listed =
  | { readonly kind: 'page'; readonly orders: readonly ListedOrder[]; readonly nextCursor: string | null }
  | { readonly kind: 'unknown'; readonly cause: string };

export interface Period {
  readonly from: Instant;
  readonly to: Instant;
  readonly cursor?: string | undefined;
}

export interface Provider {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** The transfer's id in this provider's alphabet: derived, never drawn, so that it can be derived again. */
  orderIdOf(transferId: string): string;
  /** The way back, for ids that come from outside; nothing where no transfer can have that name. */
  transferIdOf(orderId: string): string | undefined;
  /** Never rejects: whatever happens is an outcome. */
  submit(order: PayoutOrder, call: Call): Promise<Submitted>;
  /** Never creates anything, and never rejects. */
  query(orderId: string, question: Question): Promise<Queried>;
  list(period: Period, question: Question): Promise<Listed>;
  close(): Promise<void>;
}
