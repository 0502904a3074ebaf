// The admin endpoint of the provider simulator: what really left, and every call that was made.
import { allPages, expectStatus, type HttpPeers } from './http-peers.ts';

export interface ProviderOrder {
  readonly id: string;
  readonly orderId: string;
  readonly status: string;
  readonly amountCents: number;
  readonly live: boolean;
  readonly fault: string;
}

export interface ProviderCall {
  readonly sequence: number;
  readonly method: string;
  readonly path: string;
  /** SHA-256 of the bytes as they came. */
  readonly bodyDigest?: string;
  /** A status, `silence`, `reset` or `unreadable`. */
  readonly answer: string;
}

export class SimulatorClient {
  readonly http: HttpPeers;

  constructor(http: HttpPeers) {
    this.http = http;
  }

  async ordersOf(payoutId: string): Promise<readonly ProviderOrder[]> {
    const answer = await this.http.call<{ items: ProviderOrder[] }>({ path: `/admin/orders?payoutId=${payoutId}` });
    return expectStatus(answer, 200).items;
  }

  orders(): Promise<readonly ProviderOrder[]> {
    return allPages(this.http, '/admin/orders?limit=1000', 'items');
  }

  async callsOf(payoutId: string): Promise<readonly ProviderCall[]> {
    const answer = await this.http.call<{ items: ProviderCall[] }>({ path: `/admin/calls?payoutId=${payoutId}&limit=1000` });
    return expectStatus(answer, 200).items;
  }

  /** Ends orders that would be `processing` for ever. */
  async endOrder(payoutId: string, ending: { status: 'paid' } | { status: 'failed'; code: string }): Promise<void> {
    expectStatus(await this.http.call({ method: 'PUT', path: `/admin/orders/${payoutId}/ending`, body: ending }), 200);
  }
}
