// The load of another team: accounts with money, and requests that were sealed before any clock runs.
import type { Message } from 'kafkajs';
import { uuidv7 } from 'uuidv7';
import type { Clients } from '../tools/client/clients.ts';

const accountsAtOnce = 16;
/** R$ 10.00: not one of the simulator's magic amounts. */
const amountCents = 1_000;
const sendSize = 500;

export async function openAccounts({ ledger }: Clients, count: number, transfersEach: number): Promise<string[]> {
  const accounts = Array.from({ length: count }, () => uuidv7());
  for (let at = 0; at < count; at += accountsAtOnce) {
    await Promise.all(
      accounts.slice(at, at + accountsAtOnce).map(async (accountId) => {
        await ledger.openAccount(accountId);
        await ledger.deposit(accountId, uuidv7(), amountCents * (transfersEach + 10));
      }),
    );
  }
  return accounts;
}

export interface SealedRequest {
  readonly transferId: string;
  readonly message: Message;
}

export async function sealRequests({ team }: Clients, accounts: readonly string[], count: number): Promise<SealedRequest[]> {
  const requests: SealedRequest[] = [];
  for (let at = 0; at < count; at += 1) {
    const transferId = uuidv7();
    const message = await team.record({
      transferId,
      accountId: accounts[at % accounts.length]!,
      amountCents,
      payee: { keyType: 'evp', key: '0f8fad5b-d9cb-469f-a165-70867728950e' },
    });
    requests.push({ transferId, message });
  }
  return requests;
}

/** As fast as the broker takes them. */
export async function sendAll({ team }: Clients, requests: readonly SealedRequest[]): Promise<void> {
  for (let at = 0; at < requests.length; at += sendSize) {
    await team.send(requests.slice(at, at + sendSize).map(({ message }) => message));
  }
}

/** One every 1/rate seconds, whatever comes back: returns when each was meant to leave, in epoch milliseconds. */
export async function sendOpenLoop(
  { team }: Clients,
  requests: readonly SealedRequest[],
  rate: number,
): Promise<ReadonlyMap<string, number>> {
  const intended = new Map<string, number>();
  const sends: Promise<unknown>[] = [];
  const startedAt = Date.now();
  let next = 0;
  await new Promise<void>((resolve) => {
    const tick = setInterval(() => {
      const due = Math.min(requests.length, Math.floor(((Date.now() - startedAt) * rate) / 1_000));
      const batch = requests.slice(next, due);
      for (const [at, { transferId }] of batch.entries()) {
        intended.set(transferId, startedAt + ((next + at) * 1_000) / rate);
      }
      next = due;
      if (batch.length > 0) sends.push(team.send(batch.map(({ message }) => message)));
      if (next < requests.length) return;
      clearInterval(tick);
      resolve();
    }, 5);
  });
  await Promise.all(sends);
  return intended;
}
