// The second port of the shell: topics. kafkajs stands behind it, and a broker in memory that passes the same suite.
import type { Instant } from '@compasso/kernel';
import type { Headers } from '@compasso/contracts';

export interface ReceivedRecord {
  readonly offset: bigint;
  /** The broker's own timestamp (LogAppendTime). */
  readonly timestamp: Instant;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly ReceivedRecord[];
  readonly highWatermark: bigint;
}

export interface OutgoingRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where a consumer stands: the database's word, not the group's offset. */
export interface Position {
  readonly nextOffset: bigint;
  /** The mark (`record-mark.ts`) of the record that was read last; null in rows that never had one. */
  readonly lastId: string | null;
}

export interface Subscriber {
  readonly group: string;
  readonly topic: string;
  /** Of one call of `handle`; where it is not said, as many as one transaction handles best. */
  readonly recordsMax?: number;
  /** Asked on assignment, to seek; undefined = never read, start at the beginning. */
  position(partition: number): Promise<Position | undefined>;
  /**
   * What one poll gave, at most one batch per partition. Returns once the effects of all of them are committed. The signal
   * fires when the generation is over.
   */
  handle(batches: readonly RecordBatch[], signal: AbortSignal): Promise<void>;
}

export interface Subscription {
  /** Finishes the batch at hand, then leaves. */
  stop(): Promise<void>;
  health(): SubscriptionHealth;
}

export interface SubscriptionHealth {
  readonly ok: boolean;
  readonly detail: string;
  /** Records between what is handled and the end of the log, as last seen. */
  readonly lag: bigint;
  /** Partitions that are read here. */
  readonly partitions: number;
  /** How long ago the broker last answered. */
  readonly silenceMs: number;
}

export interface Transport {
  subscribe(subscriber: Subscriber): Promise<Subscription>;
  /** Returns when every record is acknowledged by all in-sync replicas; records of one partition keep their order. */
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  /** First and next offset of each partition. */
  offsets(topic: string): Promise<readonly PartitionOffsets[]>;
  /** Reads partitions from an offset up to the end as it is now, outside any group. */
  readAll(topic: string, onBatch: (batch: RecordBatch) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface PartitionOffsets {
  readonly partition: number;
  readonly first: bigint;
  readonly next: bigint;
}
