// How our tools reach Kafka: the same variables that the services read (KAFKA_BROKERS, KAFKA_SSL,
// KAFKA_SASL_…).
import { readFileSync } from 'node:fs';
import { CodedError } from '@compasso/kernel';
import { Kafka, type KafkaConfig, logLevel, type SASLOptions } from 'kafkajs';

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

export function connectKafka(environment: NodeJS.ProcessEnv, clientId: string): Kafka {
  return new Kafka({
    ...connectionOf(environment),
    clientId,
    logLevel: logLevel.NOTHING,
    connectionTimeout: 10_000,
  });
}

export function connectionOf(environment: NodeJS.ProcessEnv): KafkaConfig {
  const brokers = (environment['KAFKA_BROKERS'] ?? '')
    .split(',')
    .map((broker) => broker.trim())
    .filter(Boolean);
  const sasl = saslOf(environment);
  return { brokers, ssl: sslOf(environment), ...(sasl === undefined ? {} : { sasl }) };
}

function sslOf(environment: NodeJS.ProcessEnv): boolean | { ca: string[] } {
  if (environment['KAFKA_SSL'] !== 'true') return false;
  const file = environment['KAFKA_SSL_CA_FILE'];
  return file === undefined || file === '' ? true : { ca: [readFileSync(file, 'utf8')] };
}

function saslOf(environment: NodeJS.ProcessEnv): SASLOptions | undefined {
  const given = environment['KAFKA_SASL_MECHANISM'];
  if (given === undefined || given === '') return undefined;
  const mechanism = mechanisms.find((known) => known === given.toLowerCase());
  if (mechanism === undefined) {
    throw new CodedError(
      'sasl_mechanism_unknown',
      `KAFKA_SASL_MECHANISM: one of ${mechanisms.join(', ')}, not ${given}`,
    );
  }
  const username = environment['KAFKA_SASL_USERNAME'] ?? '';
  const password = environment['KAFKA_SASL_PASSWORD'] ?? '';
  return { mechanism, username, password } as SASLOptions;
}
