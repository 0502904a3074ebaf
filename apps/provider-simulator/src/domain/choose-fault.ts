// Which fault a payout gets: a rule set through the admin endpoint, else a magic key, else a magic
// amount.
import { type Cents, centsOf } from '@compasso/kernel';
import { faultCatalogue, type FaultName, faultNames, isFaultName } from './fault-catalogue.ts';
import type { PayeeKeyType } from './payout.ts';

/** Without a condition it matches every payout. The first rule that matches counts. */
export interface FaultRule {
  readonly fault: FaultName;
  readonly payoutIds?: readonly string[];
  /**
   * 0 … 1 of all payouts, drawn from the payout id: the same ids on every run and after every
   * restart.
   */
  readonly share?: number;
}

export interface Asked {
  readonly payoutId: string;
  readonly amountCents: Cents;
  readonly keyType: PayeeKeyType;
  readonly key: string;
}

/** A payee `<fault>@faults.example` (a name reserved by RFC 2606) chooses that fault. */
export const magicKeyDomain = 'faults.example';

export function chooseFault(asked: Asked, rules: readonly FaultRule[]): FaultName {
  const rule = rules.find((one) => matches(one, asked.payoutId));
  return rule?.fault ?? faultOfKey(asked) ?? faultOfAmount(asked.amountCents) ?? 'none';
}

/** The smallest amount from `atLeastCents` on that chooses the fault by its last three digits. */
export function magicAmount(name: Exclude<FaultName, 'none'>, atLeastCents: Cents): Cents {
  const distance = (faultCatalogue[name].ending - Number(atLeastCents % 1_000n) + 1_000) % 1_000;
  return centsOf(atLeastCents + BigInt(distance));
}

function matches({ payoutIds, share }: FaultRule, payoutId: string): boolean {
  if (payoutIds && !payoutIds.includes(payoutId)) return false;
  return share === undefined || positionOf(payoutId) < share;
}

/** The last 32 bits of a UUID, as a fraction: random in version 4 and 7 alike. */
const positionOf = (payoutId: string): number => Number.parseInt(payoutId.slice(-8), 16) / 2 ** 32;

function faultOfKey({ keyType, key }: Asked): FaultName | undefined {
  if (keyType !== 'EMAIL' || !key.endsWith(`@${magicKeyDomain}`)) return undefined;
  const name = key.slice(0, -magicKeyDomain.length - 1);
  return isFaultName(name) ? name : undefined;
}

const faultsByEnding = new Map(faultNames.map((name) => [faultCatalogue[name].ending, name]));

const faultOfAmount = (amountCents: Cents): FaultName | undefined =>
  faultsByEnding.get(Number(amountCents % 1_000n));
