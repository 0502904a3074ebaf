// Follows the public status feed as another team would, through the supervised transport: the latest state of each
// transfer, and a call for every change.
import { type DataOf, decodeMessage, transferStatus, transferStatusChangedV1 } from '@compasso/contracts';
import { type KafkaOptions, KafkaTransport, type RecordBatch } from '@compasso/messaging';
import { createLogger } from '@compasso/observability';
import { uuidv7 } from 'uuidv7';

export type Status = DataOf<typeof transferStatusChangedV1>;
export type StatusChange = { readonly transferId: string; readonly status: Status };
export type OnChange = (change: StatusChange) => void;

export interface StatusFeed {
  stop(): Promise<void>;
}

export async function followStatusFeed(
  kafka: Omit<KafkaOptions, 'logger' | 'clientId'>,
  onChange: OnChange,
): Promise<StatusFeed> {
  const logger = createLogger({ service: 'status-feed', replica: '1', level: 'silent' });
  const transport = new KafkaTransport({ ...kafka, clientId: 'status-feed', logger }, () => undefined);
  const latest = new Map<string, Status>();
  const positions = new Map<number, bigint>();
  await transport.subscribe({
    group: `status-feed-${uuidv7()}`,
    topic: transferStatus.name,
    position: async (partition) => positionOf(positions.get(partition)),
    handle: async (batches) => {
      for (const change of batches.flatMap(changesIn)) {
        if (!isNewer(change.status, latest.get(change.transferId))) continue;
        latest.set(change.transferId, change.status);
        onChange(change);
      }
      for (const { partition, records } of batches) positions.set(partition, records.at(-1)!.offset + 1n);
    },
  });
  return { stop: () => transport.close() };
}

const positionOf = (nextOffset: bigint | undefined) =>
  nextOffset === undefined ? undefined : { nextOffset, lastId: null };

const changesIn = ({ records }: RecordBatch): readonly StatusChange[] =>
  records.flatMap((record) => {
    const decoded = decodeMessage(record, transferStatus);
    if (decoded.kind !== 'event' || decoded.contract.type !== transferStatusChangedV1.type) return [];
    return [{ transferId: decoded.envelope.subject, status: decoded.data as Status }];
  });

/** The feed's order is (projection, version) and, within a version, what came later. */
function isNewer(next: Status, known: Status | undefined): boolean {
  if (known === undefined || next.projection !== known.projection) return next.projection > (known?.projection ?? 0);
  return next.version >= known.version;
}
