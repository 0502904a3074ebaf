// The variables of a service with a database and topics: what every `main.ts` reads beside its own.
import type { z } from 'zod';
import { runtimeSchema } from './runtime-schema.ts';
import { boolean, commaList, secretText, text } from './variables.ts';

export const serviceSchema = runtimeSchema.safeExtend({
  databaseUrl: secretText(),
  kafkaBrokers: commaList(),
  kafkaSsl: boolean({ default: false }),
  kafkaSslCaFile: text().optional(),
  kafkaSaslMechanism: text().optional(),
  kafkaSaslUsername: text().optional(),
  kafkaSaslPassword: secretText().optional(),
  /** Put before every topic and group, to share a cluster; none in production. */
  topicPrefix: text().optional(),
  requestTeams: commaList({ default: 'acme' }),
});

export type ServiceConfig = Readonly<z.output<typeof serviceSchema>>;

type KafkaVariable = Extract<keyof ServiceConfig, `kafka${string}`> | 'topicPrefix';

/** What the Kafka client needs of it. */
export const kafkaSettingsOf = (config: Pick<ServiceConfig, KafkaVariable>) => ({
  brokers: config.kafkaBrokers,
  topicPrefix: config.topicPrefix ?? '',
  ssl: config.kafkaSsl ? { caFile: config.kafkaSslCaFile } : undefined,
  sasl:
    config.kafkaSaslMechanism === undefined
      ? undefined
      : {
          mechanism: config.kafkaSaslMechanism,
          username: config.kafkaSaslUsername ?? '',
          password: config.kafkaSaslPassword?.reveal() ?? '',
        },
});
