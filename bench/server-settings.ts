// The settings that decide what a figure is worth, as the servers themselves report them.
import kafkajs from 'kafkajs';
import { ledgerEvents } from '@compasso/contracts';
import { openReader } from '@compasso/postgres';
import type { System } from '../tools/system/system.ts';

const { ConfigResourceTypes, Kafka, logLevel } = kafkajs;

const postgresNames = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];
const topicNames = ['min.insync.replicas', 'retention.ms', 'max.message.bytes'];

export async function serverSettings(system: Pick<System, 'databaseUrls' | 'brokers' | 'topicPrefix'>) {
  return { postgres: await postgresSettings(system), kafka: await kafkaSettings(system), acks: 'all' };
}

async function postgresSettings({ databaseUrls }: Pick<System, 'databaseUrls'>): Promise<Record<string, string>> {
  const pool = openReader(databaseUrls.ledger, 'bench');
  try {
    const { rows } = await pool.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [postgresNames],
    );
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  } finally {
    await pool.end();
  }
}

async function kafkaSettings({
  brokers,
  topicPrefix,
}: Pick<System, 'brokers' | 'topicPrefix'>): Promise<Record<string, string>> {
  const client = new Kafka({ clientId: 'bench', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  try {
    const name = topicPrefix + ledgerEvents.name;
    const described = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames: topicNames }],
    });
    const entries = described.resources[0]?.configEntries ?? [];
    const cluster = await admin.describeCluster();
    const settings = Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
    return { ...settings, brokers: String(cluster.brokers.length) };
  } finally {
    await admin.disconnect();
  }
}
