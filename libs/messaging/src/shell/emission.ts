import type { Contract, DataOf } from '@compasso/contracts';

/** An event that a decision wants published. The shell gives it its id, source, time and trace. */
export interface Emission {
  readonly contract: Contract;
  /** `ce_subject`: the transfer, or what the event is about. */
  readonly subject: string;
  /** The record's key: the payer's account, or the service's name where there is none. */
  readonly key: string;
  /** 1, 2, 3… per source and subject: a column of the row, raised under its lock. */
  readonly sequence: number;
  readonly data: unknown;
  /** `ce_id` of the event that led to this one. */
  readonly causationId?: string | undefined;
  /** The trace to continue when the cause is not the message at hand (a job continues its payout's trace). */
  readonly traceparent?: string | undefined;
  /** Set where the id must be known beforehand (a case id is the id of the event that opens it); drawn otherwise. */
  readonly id?: string | undefined;
}

/** Checks the data's type against the contract; the schema itself is checked when the event is staged. */
export const emission = <C extends Contract>(
  contract: C,
  event: Omit<Emission, 'contract' | 'data'> & { readonly data: DataOf<C> },
): Emission => ({ ...event, contract });
