// Given, when, then for decisions about transfers: specs read as sentences.
import { centsOf, evolveAll, instantFromWire } from '@compasso/kernel';
import type { Account } from './account.ts';
import type { CancelTransfer } from './cancel-transfer.ts';
import { periodAt } from './limit-buckets.ts';
import {
  evolveTransfer,
  type Hold,
  type TransferEvent,
  type TransferPage,
  type TransferRequest,
} from './transfer.ts';
import {
  decideTransfer,
  type Given,
  type ReleaseFunds,
  type RequestTransfer,
  type SettleTransfer,
  type TransferCommand,
} from './transfer.decide.ts';

export const accountId = '0193a000-0000-7000-8000-00000000000a';
export const transferId = '0193a000-0000-7000-8000-000000000001';
export const otherAccountId = '0193a000-0000-7000-8000-00000000000b';

/** Noon in São Paulo on 30 November 2026. */
export const noon = instantFromWire('2026-11-30T12:00:00-03:00');
export const night = { from: 20 * 60, until: 6 * 60 };

const someLimits = { perTransfer: centsOf(10_000), day: centsOf(50_000), night: centsOf(5_000) };

export const anAccount = (changes: Partial<Account> = {}): Account => ({
  accountId,
  holderKind: 'natural',
  state: 'open',
  limits: someLimits,
  openedLimits: someLimits,
  raised: null,
  available: centsOf(20_000),
  held: centsOf(0),
  ...changes,
});

export const aRequest = (changes: Partial<TransferRequest> = {}): TransferRequest => ({
  transferId,
  accountId,
  amount: centsOf(1_000),
  payee: { keyType: 'email', keyMasked: 'a***@b***', sealed: 'a.b.c.d.e' },
  fingerprint: 'http.one',
  requestedBy: 'client.shop',
  clientReference: undefined,
  metadata: undefined,
  traceparent: undefined,
  ...changes,
});

export const givenAt = (at = noon, changes: Partial<Given> = {}): Given => ({
  at,
  period: periodAt(at, night),
  policy: { fee: centsOf(0), sendWithinMs: 900_000 },
  ...changes,
});

export const aHold = (changes: Partial<Hold> = {}): Hold => ({
  request: aRequest(),
  fee: centsOf(0),
  buckets: ['day:2026-11-30'],
  ...changes,
});

export const request = (changes: Partial<RequestTransfer> = {}): RequestTransfer => ({
  type: 'RequestTransfer',
  request: aRequest(),
  mayDebit: true,
  notAfter: undefined,
  given: givenAt(),
  ...changes,
});

export const settle = (changes: Partial<SettleTransfer> = {}): SettleTransfer => ({
  type: 'SettleTransfer',
  accountId,
  amount: centsOf(1_000),
  endToEndId: 'E1',
  ...changes,
});

export const release = (changes: Partial<ReleaseFunds> = {}): ReleaseFunds => ({
  type: 'ReleaseFunds',
  accountId,
  amount: centsOf(1_000),
  reason: 'AC03',
  ...changes,
});

export const cancel = (changes: Partial<CancelTransfer> = {}): CancelTransfer => ({
  type: 'CancelTransfer',
  accountId,
  mayDebit: true,
  requestedBy: 'client.shop',
  ...changes,
});

interface When {
  when(...commands: readonly TransferCommand[]): Then;
}
interface Then {
  /** What the last command led to. */
  then(...events: readonly TransferEvent[]): void;
  readonly page: TransferPage;
}

/** The page that a story begins with: an open account with money, and no transfer. */
export const given = (
  changes: Partial<TransferPage> = {},
  ...events: readonly TransferEvent[]
): When => {
  const blank: TransferPage = {
    transfer: { state: 'none' },
    account: anAccount(),
    used: new Map(),
    isCancelled: false,
  };
  const start = evolveAll(evolveTransfer, { ...blank, ...changes }, events);
  return {
    when(...commands) {
      let page = start;
      let last: readonly TransferEvent[] = [];
      for (const command of commands) {
        last = decideTransfer(command, page);
        page = evolveAll(evolveTransfer, page, last);
      }
      return { page, then: (...expected) => expect(last).toEqual(expected) };
    },
  };
};
