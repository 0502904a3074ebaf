// The ledger's HTTP API as a caller of another team sees it: wire words, no types of the service.
import type { KeyType } from '@compasso/contracts';
import { allPages, type Answer, expectStatus, type HttpPeers } from './http-peers.ts';

export interface Limits {
  readonly perTransferCents: number;
  readonly dayCents: number;
  readonly nightCents: number;
}

export interface Account {
  readonly accountId: string;
  readonly state: string;
  readonly availableCents: number;
  readonly heldCents: number;
  readonly limits: Limits;
}

export interface TransferOrder {
  readonly accountId: string;
  readonly amountCents: number;
  readonly payee: { readonly kind: 'key'; readonly keyType: KeyType; readonly key: string };
  readonly clientReference?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly notAfter?: string;
}

/** What a POST answers: the accepted transfer, or a problem with a code. */
export interface TransferAnswer {
  readonly transferId?: string;
  readonly state?: string;
  readonly code?: string;
  readonly detail?: string;
}

export interface CancelAnswer {
  readonly outcome?: string;
  readonly code?: string;
}

export interface LedgerTransfer {
  readonly transferId: string;
  readonly accountId: string;
  readonly state: string;
  readonly reason?: string;
  readonly amountCents: number;
  readonly feeCents: number;
  readonly requestedBy: string;
  readonly endToEndId?: string;
}

export interface Entry {
  readonly entryId: string;
  readonly kind: string;
  readonly transferId?: string;
  readonly depositId?: string;
  readonly postings: readonly { readonly book: string; readonly amountCents: number }[];
}

export interface Books {
  readonly sumCents: number;
  readonly books: Readonly<Record<string, number>>;
  readonly balances: { readonly availableCents: number; readonly heldCents: number };
  readonly counts: {
    readonly accounts: number;
    readonly transfers: Readonly<Record<string, number>>;
    readonly entries: Readonly<Record<string, number>>;
  };
  readonly violations: readonly { readonly rule: string; readonly count: number }[];
}

export const generousLimits: Limits = {
  perTransferCents: 100_000_000,
  dayCents: 100_000_000_000,
  nightCents: 100_000_000_000,
};

export class LedgerClient {
  readonly http: HttpPeers;

  constructor(http: HttpPeers) {
    this.http = http;
  }

  async openAccount(accountId: string, limits: Limits = generousLimits): Promise<void> {
    const body = { holderKind: 'natural', limits };
    expectStatus(await this.http.call({ method: 'POST', path: '/v1/accounts', idempotencyKey: accountId, body }), 201);
  }

  async deposit(accountId: string, depositId: string, amountCents: number): Promise<void> {
    const path = `/v1/accounts/${accountId}/deposits`;
    expectStatus(await this.http.call({ method: 'POST', path, idempotencyKey: depositId, body: { amountCents } }), 201);
  }

  /** Says it again until it is answered: the id makes that safe. */
  requestTransfer(transferId: string, body: TransferOrder): Promise<Answer<TransferAnswer>> {
    return this.http.call({ method: 'POST', path: '/v1/transfers', idempotencyKey: transferId, body });
  }

  /** Before the request, while the money waits, or too late: the answer says what the ledger did. */
  cancelTransfer(transferId: string, accountId: string): Promise<Answer<CancelAnswer>> {
    return this.http.call({ method: 'POST', path: `/v1/transfers/${transferId}/cancel`, body: { accountId } });
  }

  async account(accountId: string): Promise<Account> {
    return expectStatus(await this.http.call<Account>({ path: `/v1/accounts/${accountId}` }), 200);
  }

  async transfer(transferId: string): Promise<LedgerTransfer | undefined> {
    const answer = await this.http.call<LedgerTransfer>({ path: `/v1/transfers/${transferId}` });
    return answer.status === 404 ? undefined : expectStatus(answer, 200);
  }

  entries(accountId: string): Promise<readonly Entry[]> {
    return allPages<Entry>(this.http, `/v1/accounts/${accountId}/entries?limit=200`, 'entries');
  }

  async books(): Promise<Books> {
    return expectStatus(await this.http.call<Books>({ path: '/v1/books' }), 200);
  }
}
