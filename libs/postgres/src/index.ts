export { gatherWrites } from './connection.ts';
export { type Database, type DatabaseOptions, openDatabase, openReader } from './database.ts';
export { holdLease, type Lease, type LeaseOptions } from './lease.ts';
export { databaseLimits } from './limits.ts';
export { runMigrations, sqlMigration } from './migrations.ts';
export {
  appendOnlyState,
  codeOf,
  constraintFailure,
  type ConstraintFailure,
  isConnectionLost,
  isTransientPostgres,
} from './sqlstate.ts';
export { inTransaction, type OpenTransaction } from './transaction.ts';
