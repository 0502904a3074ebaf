import { commaList, processSchema, secretFile, text, timeScale } from '@compasso/runtime/config';
import type { z } from 'zod';

const isHttpUrl = (item: string): boolean =>
  URL.canParse(item) && /^https?:$/.test(new URL(item).protocol);

export const simulatorSchema = processSchema.extend({
  /** One SQLite file, made when missing. */
  simulatorStoreFile: text(),
  providerApiKeyFile: secretFile({ minLength: 16 }),
  providerWebhookSecretFile: secretFile({ minLength: 16 }),
  webhookUrls: commaList().refine((items) => items.every(isHttpUrl), {
    message: 'must list http(s) URLs',
  }),
  timeScale: timeScale(),
});

export type SimulatorConfig = Readonly<z.output<typeof simulatorSchema>>;
