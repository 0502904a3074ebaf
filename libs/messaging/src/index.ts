export { composeService, type HealthCheck, type ServiceMessaging, type ServiceParts } from './compose-service.ts';
export { Gatherer } from './gatherer.ts';
export { restLimits, restMsAfter } from './shell/rest-after.ts';
export type { KafkaOptions } from './kafka/kafka-options.ts';
export { KafkaTransport } from './kafka/kafka-transport.ts';
export { MemoryBroker, MemoryTransport } from './memory/memory-transport.ts';
export { MemoryUnitOfWork } from './memory/memory-unit-of-work.ts';
export { meaningOfCode } from './ports/database-errors.ts';
export { recordsIn } from './ports/records-in.ts';
export {
  bigint,
  boolean,
  bytes,
  cents,
  type Column,
  type ColumnKind,
  type Columns,
  date,
  defineTable,
  identity,
  instant,
  integer,
  json,
  type Key,
  keyOf,
  keyText,
  nullable,
  type RowOf,
  type Table,
  text,
  type Unique,
  uuid,
} from './ports/table.ts';
export { messagingMigrations } from './postgres/migrations.ts';
export { PostgresUnitOfWork } from './postgres/postgres-unit-of-work.ts';
export { alwaysLeader, type Leadership } from './ports/leadership.ts';
export type {
  OutgoingRecord,
  PartitionOffsets,
  Position,
  ReceivedRecord,
  RecordBatch,
  Subscriber,
  Subscription,
  SubscriptionHealth,
  Transport,
} from './ports/transport.ts';
export type {
  Due,
  FailureMeaning,
  InsertOf,
  Oldest,
  RefusedByDatabase,
  RunOptions,
  Transaction,
  UnitOfWork,
} from './ports/unit-of-work.ts';
export { type BatchContext, type BatchOutcome } from './shell/batch.ts';
export { type BatchObservation, consumeBatches, type ConsumeParts, StopTheProcess } from './shell/consume.ts';
export { type Emission, emission } from './shell/emission.ts';
export { type Execution, type Executor, makeExecutor } from './shell/execute.ts';
export {
  type DeskReference,
  type HandleAtOnce,
  type Handler,
  type HandlerVerdict,
  type InvalidCommand,
  on,
  type Reaction,
  type ReceivedEvent,
  type ServiceDefinition,
  type SubscriptionDefinition,
} from './shell/reaction.ts';
export { type DeadLetter, type DeadLetterFilter } from './shell/letter-list.ts';
export { type LetterName, type Replayer, type ReplayResult } from './shell/replay.ts';
export { withTrace } from './shell/request-trace.ts';
export { composeReplayer, composeShell, groupOf, type ServiceShell, type ShellPorts } from './shell/service-shell.ts';
export { recordOf, type Staging } from './shell/stage.ts';
export {
  blockedTable,
  deadLetterTable,
  eventLogTable,
  inboxTable,
  messagingTables,
  outboxTable,
  parkedTable,
  positionTable,
  stopTable,
  type Verdict,
  verdicts,
} from './shell/tables.ts';
export { WorkingSet } from './shell/working-set.ts';
export { replayProcess } from './replay-process.ts';
export { together } from './shell/together.ts';
