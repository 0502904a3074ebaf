// The whole ledger over the in-memory twins, fed record by record: what the topics' stories are
// told with.
import {
  type Contract,
  type DataOf,
  encodeHeaders,
  payoutConfirmedV1,
  payoutEvents,
  payoutRejectedV1,
  transferCancelRequestedV1,
  transferRequestedV1,
  transferRequestsOf,
} from '@compasso/contracts';
import { centsOf, type Instant, instantFromWire } from '@compasso/kernel';
import {
  alwaysLeader,
  composeShell,
  eventLogTable,
  MemoryBroker,
  MemoryTransport,
  MemoryUnitOfWork,
  type Executor,
} from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { fingerprintsWith } from '../fingerprint.ts';
import { ledgerDefinition, type LedgerParts } from '../ledger.definition.ts';
import { openLedgerDesk } from '../postgres/open-ledger-desk.ts';
import { accountTable, transferTable } from '../postgres/tables.ts';
import { type Message, partitionBatch, type Receive } from './batches.story.ts';

export const team = 'acme';
export const requests = transferRequestsOf(team);
export const fingerprints = fingerprintsWith(Buffer.alloc(32, 7));

export interface WorldOptions {
  readonly mayDebit?: (accountId: string) => boolean;
  readonly feeCents?: number;
  readonly at?: string;
}

/** One team, one policy, and a list of the contradictions that were seen. */
function worldParts(options: WorldOptions) {
  const contradictions: string[] = [];
  const parts: LedgerParts = {
    newId: uuidv7,
    night: { from: 20 * 60, until: 6 * 60 },
    raiseLimitsAfterMs: 86_400_000,
    policy: { fee: centsOf(options.feeCents ?? 0), sendWithinMs: 900_000 },
    onContradiction: (rule) => void contradictions.push(rule),
    teams: [{ name: team, mayDebit: options.mayDebit ?? (() => true) }],
    fingerprints,
  };
  return { parts, contradictions };
}

export function ledgerWorld(options: WorldOptions = {}) {
  let now = instantFromWire(options.at ?? '2026-11-30T12:00:00-03:00');
  const { parts, contradictions } = worldParts(options);
  const unitOfWork = new MemoryUnitOfWork(() => now);
  const shell = composeShell(ledgerDefinition(parts), {
    unitOfWork,
    transport: new MemoryTransport(new MemoryBroker()),
    leadership: alwaysLeader,
    newId: uuidv7,
    pauseBeforeRetry: async () => undefined,
    observe: () => undefined,
    wake: () => undefined,
  });
  const receivers = new Map<string, Receive>();
  return {
    unitOfWork,
    contradictions,
    parts,
    executor: shell.executor,
    moveTo: (at: Instant) => void (now = at),
    receive(topic: string, ...messages: readonly Message[]): Promise<void> {
      const receive = receivers.get(topic) ?? partitionBatch(shell, topic);
      receivers.set(topic, receive);
      return receive(...messages);
    },
    openAccount: (accountId: string, availableCents = 100_000) =>
      openAccount(shell.executor, parts, { accountId, availableCents }),
    account: (id: string) =>
      unitOfWork.rowsOf(accountTable).find(({ accountId }) => accountId === id)!,
    transfer: (id: string) =>
      unitOfWork.rowsOf(transferTable).find(({ transferId }) => transferId === id),
    /** What was published, without what the set-up published. */
    published: () =>
      unitOfWork
        .rowsOf(eventLogTable)
        .filter(({ type }) => !/account-opened|funds-deposited/.test(type))
        .map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> })),
  };
}

/** An open account with money, through the same desk as over HTTP. */
const openAccount = (
  executor: Executor,
  parts: LedgerParts,
  { accountId, availableCents }: { readonly accountId: string; readonly availableCents: number },
): Promise<void> =>
  executor.execute(async (set) => {
    const depositId = uuidv7();
    const desk = await openLedgerDesk(set, [{ accountId, depositId, limits: 'none' }], parts);
    const limits = { perTransfer: centsOf(50_000), day: centsOf(80_000), night: centsOf(10_000) };
    const open = { type: 'OpenAccount', accountId, holderKind: 'natural', limits } as const;
    desk.decideAccount(open, 'client.setup');
    const content = { accountId, amount: centsOf(availableCents) };
    const deposit = { ...content, depositId, fingerprint: fingerprints.ofDeposit(content) };
    desk.decideAccount({ type: 'DepositFunds', deposit }, 'client.setup');
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

export const cancelRequested = (
  { transferId, accountId }: About,
  changes: Changes<typeof transferCancelRequestedV1> = {},
): Message =>
  message(transferCancelRequestedV1, {
    subject: transferId,
    source: requests.source,
    ...changes,
    data: { accountId, ...changes.data },
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
