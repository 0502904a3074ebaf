// Everything that the judges look at, read from databases, provider, topics and spans, or from the twins of a simulation.
// Rows are the services' own table rows; only the columns that matter here are named.
import type { ServiceName } from '@compasso/contracts';
import type { Cents } from '@compasso/kernel';

export interface AccountFact {
  readonly accountId: string;
  readonly availableCents: Cents;
  readonly heldCents: Cents;
}
export interface TransferFact {
  readonly transferId: string;
  readonly accountId: string;
  readonly amountCents: Cents;
  readonly feeCents: Cents;
  readonly state: string;
}
export interface EntryFact {
  readonly entryId: string;
  readonly kind: string;
  readonly transferId: string | null;
}
export interface PostingFact {
  readonly entryId: string;
  readonly book: string;
  readonly accountId: string | null;
  readonly amountCents: Cents;
}
export interface PayoutFact {
  readonly transferId: string;
  readonly state: string;
  readonly evidence: string | null;
  readonly reviewCaseId: string | null;
}
export interface ViewFact {
  readonly transferId: string;
  readonly ledgerWord: string | null;
  readonly gatewayWord: string | null;
  readonly state: string;
  readonly money: string;
  readonly certainty: string;
}
export interface CaseFact {
  readonly caseId: string;
  readonly state: string;
}
/** An order in the provider's own store; `live` = it can still pay, or has paid. */
export interface OrderFact {
  readonly payoutId: string;
  readonly orderId: string;
  readonly amountCents: Cents;
  readonly status: string;
  readonly live: boolean;
}
export interface RecordFact {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | undefined;
  readonly id: string | undefined;
  readonly source: string | undefined;
  readonly type: string | undefined;
  readonly subject: string | undefined;
  readonly sequence: number | undefined;
  readonly causationId: string | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}
export interface EventLogFact {
  readonly eventId: string;
  readonly topic: string;
  readonly subject: string;
  readonly sequence: number;
  readonly traceparent: string | null;
}
export interface InboxFact {
  readonly groupName: string;
  readonly source: string;
  readonly eventId: string;
  readonly verdict: string;
}
export interface BlockedFact {
  readonly groupName: string;
  readonly topic: string;
  readonly subject: string;
}
export interface ParkedFact extends BlockedFact {
  readonly partition: number;
  readonly offset: bigint;
}
export interface DeadLetterFact {
  readonly groupName: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly state: string;
  readonly caseId: string;
}

export interface MessagingFacts {
  readonly eventLog: readonly EventLogFact[];
  readonly outbox: readonly { readonly eventId: string }[];
  readonly inbox: readonly InboxFact[];
  readonly blocked: readonly BlockedFact[];
  readonly parked: readonly ParkedFact[];
  readonly deadLetters: readonly DeadLetterFact[];
}

export interface SpanFact {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly service: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Facts {
  readonly accounts: readonly AccountFact[];
  readonly transfers: readonly TransferFact[];
  readonly entries: readonly EntryFact[];
  readonly postings: readonly PostingFact[];
  readonly payouts: readonly PayoutFact[];
  readonly views: readonly ViewFact[];
  readonly cases: readonly CaseFact[];
  readonly orders: readonly OrderFact[];
  readonly records: readonly RecordFact[];
  readonly messaging: Readonly<Record<ServiceName, MessagingFacts>>;
  /** Which group of which service reads which topic. */
  readonly groups: readonly { readonly service: ServiceName; readonly group: string; readonly topic: string }[];
  /** The views that a fold of all records from offset 0, in another order, gives. */
  readonly refolded: readonly ViewFact[];
  readonly spans: readonly SpanFact[];
  /** Transfers in flight while a process was killed: its last spans died with it, so their trace may have holes. */
  readonly disturbed: ReadonlySet<string>;
}
