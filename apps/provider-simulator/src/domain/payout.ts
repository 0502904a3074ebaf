// What is true of one payout id at the provider, and the facts that make it so.
import type { Cents, Instant } from '@compasso/kernel';
import type { FaultName } from './fault-catalogue.ts';
import type { Ending, SignatureKind } from './fault.ts';

export const payeeKeyTypes = ['CPF', 'CNPJ', 'PHONE', 'EMAIL', 'EVP'] as const;
export type PayeeKeyType = (typeof payeeKeyTypes)[number];

export type Progress =
  /** Without `due` it stays so for ever, unless an operator of the simulator ends it. */
  | {
      readonly status: 'processing';
      readonly due?: { readonly at: Instant; readonly ending: Ending };
    }
  | Ending;

/** The key itself is not kept: the digest tells a repeat, the mask tells a person. */
export interface Order {
  readonly orderId: string;
  readonly payoutId: string;
  readonly amountCents: Cents;
  readonly keyType: PayeeKeyType;
  readonly keyMasked: string;
  readonly endToEndId: string;
  readonly requestDigest: string;
  readonly fault: FaultName;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Before this instant queries and lists do not find the order. */
  readonly visibleFrom: Instant;
  readonly progress: Progress;
  /** Of the call that created the order: webhooks continue the caller's trace. */
  readonly traceparent?: string;
}

export type Payout =
  | { readonly situation: 'unseen' }
  /** Calls came and none was accepted. The fault was drawn at the first and stays. */
  | { readonly situation: 'kept_out'; readonly fault: FaultName; readonly callsKeptOut: number }
  | { readonly situation: 'ordered'; readonly order: Order };

/** A notification to be delivered. What it claims is not always what is true. */
export interface Notification {
  readonly eventId: string;
  readonly payoutId: string;
  readonly claims: 'processing' | 'paid' | 'failed';
  readonly occurredAt: Instant;
  readonly dueAt: Instant;
  readonly signature: SignatureKind;
  readonly traceparent?: string;
}

/** One that is in the store and has not been delivered or given up. */
export interface PlannedNotification extends Notification {
  readonly number: number;
  readonly attempts: number;
}

export type PayoutEvent =
  | { readonly type: 'CallKeptOut'; readonly fault: FaultName }
  | { readonly type: 'OrderAccepted'; readonly order: Order }
  | { readonly type: 'OrderPaid'; readonly orderId: string; readonly at: Instant }
  | {
      readonly type: 'OrderFailed';
      readonly orderId: string;
      readonly at: Instant;
      readonly code: string;
    }
  | { readonly type: 'NotificationPlanned'; readonly notification: Notification };

export const unseenPayout: Payout = { situation: 'unseen' };

export function evolve(payout: Payout, event: PayoutEvent): Payout {
  switch (event.type) {
    case 'CallKeptOut': {
      const before = payout.situation === 'kept_out' ? payout.callsKeptOut : 0;
      return { situation: 'kept_out', fault: event.fault, callsKeptOut: before + 1 };
    }
    case 'OrderAccepted':
      return { situation: 'ordered', order: event.order };
    case 'OrderPaid':
      return ended(payout, event.at, { status: 'paid' });
    case 'OrderFailed':
      return ended(payout, event.at, { status: 'failed', code: event.code });
    case 'NotificationPlanned':
      return payout;
  }
}

function ended(payout: Payout, at: Instant, ending: Ending): Payout {
  if (payout.situation !== 'ordered') return payout;
  return { situation: 'ordered', order: { ...payout.order, updatedAt: at, progress: ending } };
}
