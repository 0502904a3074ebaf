// The variables that every process shares.
import { z } from 'zod';
import { integer, oneOf, text, url } from './variables.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const port = () => integer({ min: 0, max: 65_535 });

/** What a process needs to be started, watched and stopped. */
export const processSchema = z.object({
  serviceReplica: text({ default: '1' }),
  httpHost: text({ default: '127.0.0.1' }),
  httpPort: port(),
  managementPort: port(),
  logLevel: oneOf(logLevels, { default: 'info' }),
  otelExporterOtlpEndpoint: url().optional(),
});

/** The same, and how the bearer tokens of callers are judged. */
export const runtimeSchema = processSchema
  .extend({
    authJwksFile: text().optional(),
    authJwksUrl: url().optional(),
    authIssuer: text({ default: 'https://compasso.local' }),
    authAudience: text({ default: 'compasso' }),
  })
  .refine(
    ({ authJwksFile, authJwksUrl }) => (authJwksFile === undefined) !== (authJwksUrl === undefined),
    {
      path: ['authJwksFile'],
      message: 'or AUTH_JWKS_URL must be set, and not both',
    },
  );

export type ProcessConfig = Readonly<z.output<typeof processSchema>>;
export type RuntimeConfig = Readonly<z.output<typeof runtimeSchema>>;
