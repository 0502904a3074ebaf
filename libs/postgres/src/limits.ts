// How long anything may take, in the one order that works: whoever waits gives up before whoever holds (design, section 5).
import { invariant } from '@compasso/kernel';

export const databaseLimits = {
  acquireTimeoutMs: 1_500,
  lockTimeoutMs: 2_000,
  statementTimeoutMs: 4_000,
  /** A frozen process loses its row locks after this long. */
  idleInTransactionTimeoutMs: 5_000,
  transactionTimeoutMs: 8_000,
  /** A frozen leader loses its lease after this long; it pings each second while it is well. */
  leaseIdleTimeoutMs: 5_000,
  leasePingMs: 1_000,
  /** The client stops believing in an answer; above every server limit, below the Kafka session. */
  clientQueryTimeoutMs: 9_000,
  kafkaSessionTimeoutMs: 10_000,
  /** A service and its database may be started, or killed, at the same time. */
  startWithinMs: 30_000,
  startPauseMs: 500,
} as const;

const inOrder = [
  databaseLimits.acquireTimeoutMs,
  databaseLimits.lockTimeoutMs,
  databaseLimits.statementTimeoutMs,
  databaseLimits.idleInTransactionTimeoutMs,
  databaseLimits.transactionTimeoutMs,
  databaseLimits.clientQueryTimeoutMs,
  databaseLimits.kafkaSessionTimeoutMs,
];
invariant(
  inOrder.every((limit, at) => at === 0 || inOrder[at - 1]! < limit),
  'time-outs grow from the waiter to the holder',
);
