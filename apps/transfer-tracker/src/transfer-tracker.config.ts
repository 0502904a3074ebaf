import { serviceSchema, timeScale } from '@compasso/runtime/config';
import { z } from 'zod';

/** TIME_SCALE multiplies the patience with which late and stuck are told. */
export const trackerSchema = serviceSchema.safeExtend({ timeScale: timeScale() });
export type TrackerConfig = Readonly<z.output<typeof trackerSchema>>;

/** A rebuild has the same environment, and neither callers nor ports. */
const { shape } = trackerSchema;
export const rebuildSchema = z.object({
  logLevel: shape.logLevel,
  databaseUrl: shape.databaseUrl,
  kafkaBrokers: shape.kafkaBrokers,
  kafkaSsl: shape.kafkaSsl,
  kafkaSslCaFile: shape.kafkaSslCaFile,
  kafkaSaslMechanism: shape.kafkaSaslMechanism,
  kafkaSaslUsername: shape.kafkaSaslUsername,
  kafkaSaslPassword: shape.kafkaSaslPassword,
  topicPrefix: shape.topicPrefix,
  requestTeams: shape.requestTeams,
  timeScale: shape.timeScale,
});
export type RebuildConfig = Readonly<z.output<typeof rebuildSchema>>;
