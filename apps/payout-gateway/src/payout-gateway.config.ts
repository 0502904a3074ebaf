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

export const gatewaySchema = serviceSchema.safeExtend({
  providerName: oneOf(['reference'], { default: 'reference' }),
  providerUrl: url(),
  providerApiKeyFile: secretFile({ minLength: 16 }),
  providerWebhookSecretFile: secretFile({ minLength: 16 }),
  /** How many calls, and beside them how many questions, may be under way at once. */
  providerCallsMax: integer({ min: 1, max: 1_000, default: 256 }),
  providerQueriesMax: integer({ min: 1, max: 1_000, default: 256 }),
  providerCallsPerSecondMax: integer({ min: 1, max: 100_000, default: 4_000 }),
  payeePrivateJwksFile: jsonFile(privateKeySet),
  timeScale: timeScale(),
});

export type GatewayConfig = Readonly<z.output<typeof gatewaySchema>>;
