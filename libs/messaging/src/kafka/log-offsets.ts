// Where logs begin and end, over one connection that is replaced when it fails: kafkajs's admin keeps stale metadata after
// a change of leadership, and a new connection for every question would be a storm while brokers come back.
import type { Admin, Kafka } from 'kafkajs';
import type { PartitionOffsets } from '../ports/transport.ts';
import { kafkaLimits } from './kafka-options.ts';
import { withinTime } from './within-time.ts';

export class LogOffsets {
  private readonly kafka: Kafka;
  private readonly physicalTopic: string;
  private admin: Promise<Admin> | undefined;

  constructor(kafka: Kafka, physicalTopic: string) {
    this.kafka = kafka;
    this.physicalTopic = physicalTopic;
  }

  async read(): Promise<readonly PartitionOffsets[]> {
    const admin = (this.admin ??= this.connect());
    try {
      const asked = admin.then((connected) => connected.fetchTopicOffsets(this.physicalTopic));
      const offsets = await withinTime(asked, kafkaLimits.offsetsTimeoutMs);
      return offsets.map(({ partition, low, high }) => ({ partition, first: BigInt(low), next: BigInt(high) }));
    } catch (error) {
      if (this.admin === admin) this.admin = undefined;
      void disconnect(admin);
      throw error;
    }
  }

  async close(): Promise<void> {
    const admin = this.admin;
    this.admin = undefined;
    if (admin !== undefined) await withinTime(disconnect(admin), kafkaLimits.disconnectTimeoutMs).catch(() => undefined);
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }
}

/** Also of one that is still connecting: it must not stay behind once it succeeds. */
async function disconnect(admin: Promise<Admin>): Promise<void> {
  await admin.then((connected) => connected.disconnect()).catch(() => undefined);
}
