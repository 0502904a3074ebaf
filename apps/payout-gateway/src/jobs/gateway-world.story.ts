// The gateway without its processes: its shell, its worker and its provider, over any unit of work and any clock. Specs move
// the clock, let the worker take turns, and look at what was published.
import {
  encodeHeaders,
  ledgerEvents,
  ledgerPayoutAuthorizedV1,
  ledgerPayoutCancelRequestedV1,
  type OpenPayee,
  partitionOf,
  payeeOpener,
  type PixKey,
  type PublicKeys,
  type SealedPayee,
  sealPayee,
} from '@compasso/contracts';
import { addMilliseconds, type Clock, instantFromWire, instantToWire } from '@compasso/kernel';
import {
  alwaysLeader,
  composeShell,
  MemoryBroker,
  MemoryTransport,
  MemoryUnitOfWork,
  type UnitOfWork,
} from '@compasso/messaging';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { uuidv7 } from 'uuidv7';
import { type Policy, policyFor } from '../domain/policy.ts';
import { payoutGateway } from '../payout-gateway.definition.ts';
import { KnownInstructions } from '../postgres/known-instructions.ts';
import type { Provider } from '../provider/provider.port.ts';
import { PayoutWorker, type WorkerParts } from './payout-worker.ts';
import { ProviderGate } from './provider-gate.ts';

export const noon = instantFromWire('2026-11-30T12:00:00Z');
export const cpf: PixKey = { keyType: 'cpf', key: '52998224725' };

/** Both clocks of the process and the database's, moved by hand. */
export function manualClock() {
  let wall: number = noon;
  let monotonic = 0;
  const clock: Clock = { now: () => wall as ReturnType<Clock['now']>, monotonic: () => monotonic };
  return {
    ...clock,
    pass(ms: number): void {
      wall += ms;
      monotonic += ms;
    },
    /** As when an administrator or NTP sets the clock. */
    setWall: (ms: number): void => void (wall += ms),
    /** As when a virtual machine was suspended: the monotonic clock did not see it. */
    suspend: (ms: number): void => void (wall += ms),
  };
}

export interface PayeeKeys {
  readonly open: OpenPayee;
  readonly seal: (key: PixKey) => Promise<SealedPayee>;
  readonly published: PublicKeys;
  readonly privateKeys: { readonly keys: readonly JWK[] };
}

export async function payeeKeys(): Promise<PayeeKeys> {
  const pair = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const jwk = async (key: typeof pair.publicKey): Promise<JWK> => ({
    ...(await exportJWK(key)),
    kid: 'first',
  });
  const published = { keys: [await jwk(pair.publicKey)] };
  const privateKeys = { keys: [await jwk(pair.privateKey)] };
  return {
    open: payeeOpener(privateKeys),
    seal: (key) => sealPayee(key, published),
    published,
    privateKeys,
  };
}

export interface WorldOptions {
  readonly provider: Provider;
  readonly clock: Clock;
  readonly keys: PayeeKeys;
  readonly unitOfWork?: UnitOfWork;
  readonly policy?: Policy;
  readonly knownOrder?: (provider: string) => Promise<string | undefined>;
  readonly openPayee?: OpenPayee;
  readonly submitsMax?: number;
  readonly pause?: (ms: number) => Promise<void>;
}

export type World = ReturnType<typeof gatewayWorld>;

export function gatewayWorld(options: WorldOptions) {
  const { provider, clock, keys } = options;
  const policy = options.policy ?? policyFor(1);
  const unitOfWork = options.unitOfWork ?? new MemoryUnitOfWork(() => clock.now());
  const trouble: { readonly what: string; readonly error: unknown }[] = [];
  const rules = { policy, capabilities: provider.capabilities };
  const desk = { newId: uuidv7, chance: () => 0, rulesOf: () => rules, instructions: new KnownInstructions() };
  const shell = composeShell(
    payoutGateway({ ...desk, provider: { name: provider.name, orderIdOf: (id) => provider.orderIdOf(id) } }),
    {
      unitOfWork,
      transport: new MemoryTransport(new MemoryBroker()),
      leadership: alwaysLeader,
      newId: uuidv7,
      pauseBeforeRetry: async () => undefined,
      observe: () => undefined,
      wake: () => undefined,
    },
  );
  const gateOptions = { provider: provider.name, policy, clock, queriesMax: 16, callsPerSecondMax: 10_000 };
  const parts: WorkerParts = {
    executor: shell.executor,
    desk,
    clock,
    provider,
    gate: new ProviderGate({ ...gateOptions, submitsMax: options.submitsMax ?? 16 }),
    rules,
    openPayee: options.openPayee ?? keys.open,
    callTimeoutMs: policy.callTimeoutMs,
    knownOrder: options.knownOrder ?? (async () => undefined),
    pause: options.pause ?? (() => new Promise((resolve) => setImmediate(resolve))),
    onTrouble: (error, what) => void trouble.push({ what, error }),
    onContradiction: (_transferId, contradiction) =>
      void trouble.push({ what: contradiction, error: undefined }),
    onBroken: (_transferId, error) => void trouble.push({ what: 'broken', error }),
  };
  const worker = new PayoutWorker(parts);
  return {
    unitOfWork,
    shell,
    desk,
    parts,
    worker,
    trouble,
    /** The ledger's permission, through the consumer, in one batch per partition. */
    authorize: async (...payouts: readonly Authorization[]) =>
      receive(shell, clock, await Promise.all(payouts.map((payout) => authorization(payout, clock, keys)))),
    /** The payer's wish, as the ledger passes it on. */
    cancel: (transferId: string) => receive(shell, clock, [cancellation(transferId, clock)]),
    /** One look at the queue, and everything that came of it. */
    async turn(): Promise<void> {
      await worker.turn();
      await worker.settled();
    },
  };
}

export interface Authorization {
  readonly transferId: string;
  readonly accountId?: string;
  readonly amountCents?: number;
  readonly key?: PixKey;
  readonly payee?: SealedPayee;
  readonly sendWithinMs?: number;
  readonly traceparent?: string;
}

const offsets = new WeakMap<object, Map<number, bigint>>();

async function receive(
  shell: ReturnType<typeof composeShell>,
  clock: Clock,
  messages: readonly Message[],
): Promise<void> {
  const subscriber = shell.subscribers.find(({ topic }) => topic === ledgerEvents.name);
  const next = offsets.get(shell) ?? new Map<number, bigint>();
  offsets.set(shell, next);
  for (const partition of new Set(messages.map(({ key }) => partitionOf(key)))) {
    const its = messages.filter(({ key }) => partitionOf(key) === partition);
    const first = next.get(partition) ?? 0n;
    next.set(partition, first + BigInt(its.length));
    const records = its.map(({ key, value, headers }, at) => ({
      offset: first + BigInt(at),
      timestamp: clock.now(),
      key: Buffer.from(key),
      value: Buffer.from(value),
      headers,
    }));
    const batch = { topic: ledgerEvents.name, partition, records, highWatermark: first + BigInt(its.length) };
    await subscriber?.handle([batch], new AbortController().signal);
  }
}

const anAccount = '01980000-0000-7000-8000-00000000acc0';

interface Message {
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

const cancellation = (transferId: string, clock: Clock): Message => ({
  key: anAccount,
  value: JSON.stringify({ accountId: anAccount, amountCents: 15_000, after: 'authorized' }),
  headers: encodeHeaders({
    id: uuidv7(),
    source: ledgerEvents.source,
    type: ledgerPayoutCancelRequestedV1.type,
    subject: transferId,
    time: instantToWire(clock.now()),
    sequence: 3,
  }),
});

async function authorization(payout: Authorization, clock: Clock, keys: PayeeKeys): Promise<Message> {
  const {
    transferId,
    accountId = anAccount,
    amountCents = 15_000,
    sendWithinMs = 900_000,
    traceparent,
  } = payout;
  const data = {
    accountId,
    amountCents,
    after: 'authorized',
    payee: payout.payee ?? (await keys.seal(payout.key ?? cpf)),
    sendBefore: instantToWire(addMilliseconds(clock.now(), sendWithinMs)),
  };
  return {
    key: accountId,
    value: JSON.stringify(data),
    headers: encodeHeaders({
      id: uuidv7(),
      source: ledgerEvents.source,
      type: ledgerPayoutAuthorizedV1.type,
      subject: transferId,
      time: instantToWire(clock.now()),
      sequence: 2,
      traceparent,
    }),
  };
}
