// What a story can do and see: accounts with money, requests through both doors, the tracker's word, the provider's store.
import { readPixKey } from '@compasso/contracts';
import { centsOf, centsToWire, invariant } from '@compasso/kernel';
import { uuidv7 } from 'uuidv7';
import { magicAmount } from '../../apps/provider-simulator/src/domain/choose-fault.ts';
import type { FaultName } from '../../apps/provider-simulator/src/domain/fault-catalogue.ts';
import { until } from '../../infra/until.ts';
import { generousLimits, type Limits, type TransferOrder } from '../client/ledger-client.ts';
import type { Clients } from '../client/clients.ts';
import type { TopicOrder } from '../client/team-producer.ts';
import type { Axes } from '../client/tracker-client.ts';
import type { System } from '../system/system.ts';
import { isSameEnd } from './axes.ts';

export interface World {
  readonly system: System;
  readonly clients: Clients;
  /** How many transfers each kill meets. */
  readonly transfersPerKill: number;
  say(sentence: string): void;
}

export const payeeCpf = '52998224725';
const endsWithinMs = 40_000;
const lookEveryMs = 150;

export async function openAccount(
  { clients }: World,
  { fundsCents, limits = generousLimits }: { readonly fundsCents: number; readonly limits?: Limits },
): Promise<string> {
  const accountId = uuidv7();
  await clients.ledger.openAccount(accountId, limits);
  await clients.ledger.deposit(accountId, uuidv7(), fundsCents);
  return accountId;
}

export interface Wish {
  readonly accountId: string;
  readonly amountCents: number;
  /** Shown with every move of the transfer. */
  readonly story: string;
}

export const orderOf = ({ accountId, amountCents, story }: Wish): TransferOrder => ({
  accountId,
  amountCents,
  payee: { kind: 'key', keyType: 'cpf', key: payeeCpf },
  clientReference: story,
});

export function topicOrderOf({ accountId, amountCents, story }: Wish): TopicOrder {
  const payee = readPixKey('cpf', payeeCpf);
  invariant(payee.ok, 'the payee of the stories has a valid key');
  return { transferId: uuidv7(), accountId, amountCents, payee: payee.value, clientReference: story };
}

/** An amount that makes the simulated provider misbehave in this way. */
export const amountOf = (fault: Exclude<FaultName, 'none'>, atLeastCents = 10_000): number =>
  centsToWire(magicAmount(fault, centsOf(atLeastCents)));

/** Waits until the tracker shows this end. When it never does, the look at the end of the story says what it is instead. */
export async function untilEnds(
  { clients }: World,
  transferId: string,
  ends: Axes,
  withinMs: number = endsWithinMs,
): Promise<void> {
  const hasEnded = async () => {
    const transfer = await clients.tracker.transfer(transferId);
    return transfer !== undefined && isSameEnd(transfer, ends);
  };
  await until(hasEnded, { what: `${transferId} to end`, withinMs, everyMs: lookEveryMs }).catch(() => undefined);
}
