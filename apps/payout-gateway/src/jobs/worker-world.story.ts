// The worker's world in memory, and what its rows and calls show.
import { eventLogTable, type MemoryUnitOfWork } from '@compasso/messaging';
import { uuidv7 } from 'uuidv7';
import { attemptTable, instructionTable, payoutTable } from '../postgres/tables.ts';
import { MemoryProvider } from '../provider/memory-provider.ts';
import { type Authorization, gatewayWorld, manualClock, type PayeeKeys, type WorldOptions } from './gateway-world.story.ts';

export const seconds = 1_000;
export const minutes = 60 * seconds;

export function workerWorld(keys: PayeeKeys, options: Partial<WorldOptions> = {}) {
  const clock = manualClock();
  const provider = new MemoryProvider({ now: () => clock.now() });
  const known = { id: undefined as string | undefined };
  const world = gatewayWorld({ provider, clock, keys, knownOrder: async () => known.id, ...options });
  const unitOfWork = world.unitOfWork as MemoryUnitOfWork;
  const payout = (id: string) => unitOfWork.rowsOf(payoutTable).find(({ transferId }) => transferId === id)!;
  const instruction = (id: string) =>
    unitOfWork.rowsOf(instructionTable).find(({ transferId }) => transferId === id)!;
  const attempts = (id: string) =>
    unitOfWork.rowsOf(attemptTable).filter(({ transferId }) => transferId === id);
  const published = (id: string) =>
    unitOfWork
      .rowsOf(eventLogTable)
      .filter(({ subject }) => subject === id)
      .sort((left, right) => left.sequence - right.sequence)
      .map(({ type, data }) => ({
        type: type.split('.').slice(1, -1).join('.'),
        ...(JSON.parse(data) as object),
      }));
  const names = (id: string) => published(id).map(({ type }) => type);
  const arrived = (id: string, kind: string) =>
    provider.arrived.filter((one) => one.orderId === id && one.kind === kind);
  const authorized = async (changes: Partial<Authorization> = {}) => {
    const transferId = uuidv7();
    await world.authorize({ transferId, ...changes });
    return transferId;
  };
  /** A payout that was paid and stays known to the provider. */
  const somePaid = async () => {
    const id = await authorized();
    provider.plan(id, { status: 'paid' });
    await world.turn();
    clock.pass(5 * seconds);
    await world.turn();
    known.id = id;
    return id;
  };
  const rows = { payout, instruction, attempts, published, names };
  return { ...world, ...rows, unitOfWork, clock, provider, known, arrived, authorized, somePaid };
}
