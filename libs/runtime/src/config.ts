// The part of this library that tools may import without loading Nest.
export { jsonFile, secretFile } from './config/files.ts';
export {
  ConfigurationError,
  type ConfigurationProblem,
  type Environment,
  parseConfig,
  readConfig,
  variableOf,
} from './config/read-config.ts';
export {
  logLevels,
  type ProcessConfig,
  processSchema,
  type RuntimeConfig,
  runtimeSchema,
} from './config/runtime-schema.ts';
export { Secret } from './config/secret.ts';
export { kafkaSettingsOf, type ServiceConfig, serviceSchema } from './config/service-schema.ts';
export {
  boolean,
  commaList,
  decimal,
  duration,
  integer,
  json,
  oneOf,
  secretText,
  text,
  timeOfDay,
  timeScale,
  url,
} from './config/variables.ts';
