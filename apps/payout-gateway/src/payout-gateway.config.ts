import {
  integer,
  jsonFile,
  oneOf,
  secretFile,
  serviceSchema,
  timeScale,
  url,
} from '@compasso/runtime/config';
import type { z } from 'zod';
import { privateKeySet } from './payee-keys.ts';

const secretLengthMin = 16;

export const secretsIn = (lines: string): readonly string[] => lines.split(/\s+/);

export const gatewaySchema = serviceSchema.safeExtend({
  providerName: oneOf(['reference'], { default: 'reference' }),
  providerUrl: url(),
  providerApiKeyFile: secretFile({ minLength: secretLengthMin }),
  /** One per line. Two are valid while the provider changes from one to the other. */
  providerWebhookSecretFile: secretFile({ minLength: secretLengthMin }).refine(
    (secret) => {
      const secrets = secretsIn(secret.reveal());
      return secrets.length <= 2 && secrets.every(({ length }) => length >= secretLengthMin);
    },
    { message: `names a file with more than two secrets, or with one of fewer than ${secretLengthMin} characters` },
  ),
  /** How many calls, and beside them how many questions, may be under way at once. */
  providerCallsMax: integer({ min: 1, max: 1_000, default: 256 }),
  providerQueriesMax: integer({ min: 1, max: 1_000, default: 256 }),
  providerCallsPerSecondMax: integer({ min: 1, max: 100_000, default: 4_000 }),
  payeePrivateJwksFile: jsonFile(privateKeySet),
  timeScale: timeScale(),
});

export type GatewayConfig = Readonly<z.output<typeof gatewaySchema>>;
