// The whole ledger over the in-memory twins, fed record by record: what the topics' stories are
// told with.
import {
  type Contract,
  type DataOf,
  encodeHeaders,
  ledgerEvents,
  partitionOf,
  payoutConfirmedV1,
  payoutEvents,
  payoutRejectedV1,
  transferRequestedV1,
  transferRequestsOf,
} from '@compasso/contracts';
import { centsOf, type Instant, instantFromWire, instantOf } from '@compasso/kernel';
import {
  alwaysLeader,
  composeShell,
  eventLogTable,
  MemoryBroker,
  MemoryTransport,
  MemoryUnitOfWork,
  type ReceivedRecord,
} from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { fingerprintsWith } from '../fingerprint.ts';
import { ledgerDefinition } from '../ledger.definition.ts';
import { openLedgerDesk } from '../postgres/open-ledger-desk.ts';
import { accountTable, transferTable } from '../postgres/tables.ts';

export const team = 'acme';
export const requests = transferRequestsOf(team);
export const fingerprints = fingerprintsWith(Buffer.alloc(32, 7));

export interface WorldOptions {
  readonly mayDebit?: (accountId: string) => boolean;
  readonly feeCents?: number;
  readonly at?: string;
}

export function ledgerWorld(options: WorldOptions = {}) {
  let now = instantFromWire(options.at ?? '2026-11-30T12:00:00-03:00');
  const contradictions: string[] = [];
  const unitOfWork = new MemoryUnitOfWork(() => now);
  const parts = {
    newId: uuidv7,
    night: { from: 20 * 60, until: 6 * 60 },
    policy: { fee: centsOf(options.feeCents ?? 0), sendWithinMs: 900_000 },
    onContradiction: (rule: string) => void contradictions.push(rule),
    teams: [{ name: team, mayDebit: options.mayDebit ?? (() => true) }],
    fingerprints,
  };
  const shell = composeShell(ledgerDefinition(parts), {
    unitOfWork,
    transport: new MemoryTransport(new MemoryBroker()),
    leadership: alwaysLeader,
    newId: uuidv7,
    pauseBeforeRetry: async () => undefined,
    observe: () => undefined,
    wake: () => undefined,
  });
  const offsets = new Map<string, bigint>();
  return {
    unitOfWork,
    contradictions,
    parts,
    executor: shell.executor,
    moveTo: (at: Instant) => void (now = at),
    /** Hands records of one topic to its consumer, one batch per partition. */
    async receive(topic: string, ...messages: readonly Message[]): Promise<void> {
      const subscriber = shell.subscribers.find((one) => one.topic === topic)!;
      for (const partition of new Set(messages.map(({ key }) => partitionOf(key)))) {
        const its = messages.filter(({ key }) => partitionOf(key) === partition);
        const place = `${topic}/${partition}`;
        const first = offsets.get(place) ?? 0n;
        offsets.set(place, first + BigInt(its.length));
        const records = its.map((message, at) => recordOf(message, first + BigInt(at), now));
        const highWatermark = first + BigInt(its.length);
        const signal = new AbortController().signal;
        await subscriber.handle({ topic, partition, records, highWatermark }, signal);
      }
    },
    /** An open account with money, through the same desk as over HTTP. */
    async openAccount(accountId: string, availableCents = 100_000): Promise<void> {
      await shell.executor.execute(async (set) => {
        const depositId = uuidv7();
        const desk = await openLedgerDesk(set, [{ accountId, depositId, limits: 'none' }], parts);
        const limits = {
          perTransfer: centsOf(50_000),
          day: centsOf(80_000),
          night: centsOf(10_000),
        };
        const open = { type: 'OpenAccount', accountId, holderKind: 'natural', limits } as const;
        desk.decideAccount(open, 'client.setup');
        const content = { accountId, amount: centsOf(availableCents) };
        const deposit = { ...content, depositId, fingerprint: fingerprints.ofDeposit(content) };
        desk.decideAccount({ type: 'DepositFunds', deposit }, 'client.setup');
      });
    },
    account: (id: string) =>
      unitOfWork.rowsOf(accountTable).find(({ accountId }) => accountId === id)!,
    transfer: (id: string) =>
      unitOfWork.rowsOf(transferTable).find(({ transferId }) => transferId === id),
    /** What was published, without what the set-up published. */
    published: () =>
      unitOfWork
        .rowsOf(eventLogTable)
        .filter(
          ({ topic, type }) =>
            topic !== ledgerEvents.name || !/account-opened|deposited/.test(type),
        )
        .map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> })),
  };
}

export interface Message {
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

const recordOf = (message: Message, offset: bigint, at: Instant): ReceivedRecord => ({
  offset,
  timestamp: instantOf(at),
  key: Buffer.from(message.key),
  value: Buffer.from(message.value),
  headers: message.headers,
});

interface Sent<C extends Contract> {
  readonly subject: string;
  readonly data: DataOf<C>;
  readonly source: string;
  readonly id?: string;
  readonly sequence?: number;
}

const message = <C extends Contract>(contract: C, sent: Sent<C>): Message => ({
  key: (sent.data as { accountId: string }).accountId,
  value: JSON.stringify(sent.data),
  headers: encodeHeaders({
    id: sent.id ?? uuidv7(),
    source: sent.source,
    type: contract.type,
    subject: sent.subject,
    time: '2026-11-30T15:00:00Z',
    sequence: sent.sequence,
  }),
});

type Changes<C extends Contract> = Partial<Omit<Sent<C>, 'data'>> & {
  readonly data?: Partial<DataOf<C>>;
};
export interface About {
  readonly transferId: string;
  readonly accountId: string;
}

export const requested = (
  { transferId, accountId }: About,
  { data, ...rest }: Changes<typeof transferRequestedV1> = {},
): Message =>
  message(transferRequestedV1, {
    subject: transferId,
    source: requests.source,
    ...rest,
    data: {
      accountId,
      amountCents: 1_000,
      payee: { kind: 'key', keyType: 'email', keyMasked: 'a**@b******', sealed: 'a.b.c.d.e' },
      ...data,
    },
  });

export const confirmed = (
  { transferId, accountId }: About,
  { data, ...rest }: Changes<typeof payoutConfirmedV1> = {},
): Message =>
  message(payoutConfirmedV1, {
    subject: transferId,
    source: payoutEvents.source,
    sequence: 2,
    ...rest,
    data: {
      accountId,
      amountCents: 1_000,
      after: 'confirmed',
      endToEndId: 'E1234567820261130150000000000001',
      evidence: 'query',
      ...data,
    },
  });

export const rejected = (
  { transferId, accountId }: About,
  { data, ...rest }: Changes<typeof payoutRejectedV1> = {},
): Message =>
  message(payoutRejectedV1, {
    subject: transferId,
    source: payoutEvents.source,
    sequence: 2,
    ...rest,
    data: {
      accountId,
      amountCents: 1_000,
      after: 'rejected',
      code: 'AC03',
      evidence: 'query',
      ...data,
    },
  });
