export { Caller, type CallerClaims } from './auth/caller.ts';
export { CurrentCaller, Public, RawBody, RequireScope } from './auth/decorators.ts';
export {
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
} from './auth/token-verifier.ts';
export {
  boolean,
  commaList,
  ConfigurationError,
  type ConfigurationProblem,
  decimal,
  duration,
  type Environment,
  integer,
  json,
  jsonFile,
  kafkaSettingsOf,
  logLevels,
  oneOf,
  parseConfig,
  type ProcessConfig,
  processSchema,
  readConfig,
  type RuntimeConfig,
  runtimeSchema,
  Secret,
  secretFile,
  secretText,
  type ServiceConfig,
  serviceSchema,
  text,
  timeOfDay,
  timeScale,
  url,
  variableOf,
} from './config.ts';
export { healthAnswer, type HealthAnswer } from './health/health-answer.ts';
export { type ManagementServer, startManagementServer } from './health/management-server.ts';
export { type Check, ReadinessRegistry } from './health/readiness.ts';
export type { FrontDoor } from './http/front-door.ts';
export { idempotencyKey } from './http/idempotency-key.ts';
export { rawBodyOf, routeOf } from './http/request-state.ts';
export { type HttpApp, type HttpAppOptions, httpLimits, startHttp } from './http/start-http.ts';
export { type FieldError, parsed, validated } from './http/validated.ts';
export type { CheckResult, ReadinessReport, ServiceLogger, ServiceTelemetry } from './ports.ts';
export {
  Problem,
  problem,
  type ProblemBody,
  problemBody,
  type ProblemExtras,
  type ProblemMessages,
  standardProblem,
  type StandardProblemCode,
  standardProblemCodes,
  temporarilyUnavailable,
} from './problems.ts';
export {
  type RunningService,
  type ServiceOptions,
  startService,
  stopLimits,
} from './process/start-service.ts';
export { runStopSequence, type StopStep } from './process/stop-sequence.ts';
export { exitCodes } from './process/supervise.ts';
