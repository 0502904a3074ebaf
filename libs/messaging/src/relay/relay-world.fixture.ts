// The relay between the twins in memory, with a broker that can refuse. Imported by specs only.
import {
  deadLetterOpenedV1,
  deadLettersOf,
  headerText,
  ledgerEvents,
  ledgerTransferSettledV1,
  partitionOf,
} from '@compasso/contracts';
import { uuidv7 } from 'uuidv7';
import { MemoryBroker, MemoryTransport } from '../memory/memory-transport.ts';
import { MemoryUnitOfWork } from '../memory/memory-unit-of-work.ts';
import type { OutgoingRecord } from '../ports/transport.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { type Emission, emission } from '../shell/emission.ts';
import { stageEmissions } from '../shell/stage.ts';
import { eventLogTable, outboxTable } from '../shell/tables.ts';
import { OutboxRelay, type RelayObservation } from './outbox-relay.ts';

export type Publish = (records: readonly OutgoingRecord[]) => Promise<void>;

export const transfers = (count: number): readonly string[] => Array.from({ length: count }, () => uuidv7());
export const subjectOf = ({ headers }: OutgoingRecord): string => headers['ce_subject']!;

/** Each transfer has an account, and so a partition, of its own. */
export function settled(transferId: string, sequence: number): Emission {
  const data = { accountId: transferId, amountCents: 100, after: 'settled', feeCents: 0, endToEndId: 'E1' } as const;
  return emission(ledgerTransferSettledV1, { subject: transferId, key: transferId, sequence, data });
}

export function notice(): Emission {
  const id = uuidv7();
  const data = { group: 'g', topic: 't', partition: 0, offset: '1', reason: 'data_invalid' };
  return emission(deadLetterOpenedV1, { id, subject: id, key: 'ledger', sequence: 1, data });
}

export const stageIn = (unitOfWork: UnitOfWork, emissions: readonly Emission[]): Promise<void> =>
  unitOfWork.run((transaction) =>
    stageEmissions(transaction, emissions, {
      source: ledgerEvents.source,
      newId: uuidv7,
      topicOf: ({ contract }) => (contract.family === 'dead-letters' ? deadLettersOf('ledger') : ledgerEvents),
    }),
  );

export class RelayWorld {
  readonly unitOfWork = new MemoryUnitOfWork();
  readonly observations: RelayObservation[] = [];
  nowMs = 0;
  sends = 0;
  /** A record that cannot leave; what came before it in the same send is written. */
  refuses: (record: OutgoingRecord) => boolean = () => false;
  private readonly broker = new MemoryBroker();
  readonly transport = new MemoryTransport(this.broker);

  relay(parts: { readonly isLeader?: () => boolean; readonly publish?: Publish; readonly unitOfWork?: UnitOfWork } = {}): OutboxRelay {
    return new OutboxRelay({
      unitOfWork: parts.unitOfWork ?? this.unitOfWork,
      transport: { publish: parts.publish ?? ((records) => this.publish(records)) },
      leadership: { isLeader: parts.isLeader ?? (() => true), stop: async () => undefined },
      partitionOf,
      observe: (observation) => void this.observations.push(observation),
      monotonicNow: () => this.nowMs,
    });
  }

  async publish(records: readonly OutgoingRecord[]): Promise<void> {
    this.sends += 1;
    for (const record of records) {
      if (this.refuses(record)) throw new TypeError('refused');
      await this.transport.publish([record]);
    }
  }

  async stage(emissions: readonly Emission[]): Promise<void> {
    await stageIn(this.unitOfWork, emissions);
  }

  /** Events as large as they may be, past their contract. */
  async stageLarge(count: number, letter: string): Promise<void> {
    await this.stage(transfers(count).map((one) => settled(one, 1)));
    const rows = this.unitOfWork.rowsOf(eventLogTable).map((row) => ({ ...row, eventId: uuidv7(), data: JSON.stringify(letter.repeat(20_000)) }));
    await this.unitOfWork.run(async (transaction) => {
      await transaction.remove(outboxTable, this.unitOfWork.rowsOf(outboxTable).map(({ position }) => [position]));
      await transaction.insert(eventLogTable, rows);
      await transaction.insert(outboxTable, rows.map(({ recordedOn, eventId }) => ({ recordedOn, eventId })));
    });
  }

  publishedTransfers(): ReadonlySet<string | undefined> {
    return new Set(this.broker.log(ledgerEvents.name).flat().map(({ headers }) => headerText(headers, 'ce_subject')));
  }

  sequencesOf(transferId: string | undefined): readonly string[] {
    return this.broker
      .log(ledgerEvents.name)
      .flat()
      .filter(({ headers }) => headerText(headers, 'ce_subject') === transferId)
      .map(({ headers }) => headerText(headers, 'ce_sequence')!);
  }

  waiting(): number {
    return this.unitOfWork.rowsOf(outboxTable).length;
  }
}
